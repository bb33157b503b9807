package dev.streamfence.trace;

import dev.streamfence.launch.Access;

/**
 * The use of some memory by one piece of work. Immutable.
 *
 * @param parameter the kernel's parameter, as in {@code columns[3]} with the index in a table, or
 *     the variable of a module; empty if the work is no launch
 * @param tag the array's tag, which is its type and length unless its user has given another one;
 *     empty for memory that has none
 * @param memory the memory in words, with its size and address
 * @param access what the work declares to do with it
 */
public record TracedUse(String parameter, String tag, String memory, Access access) {
  /**
   * The array as a reader knows it: the tag that its user has given it, else the parameter, else
   * its type and length, else the memory.
   */
  public String name() {
    boolean isNamed = !tag.isEmpty() && !tag.endsWith("]");
    if (!isNamed && !parameter.isEmpty()) {
      return parameter;
    }
    return tag.isEmpty() ? memory : tag;
  }

  /** The use in words, such as {@code reads prices (allocation 3 of 400 bytes at 0x...)}. */
  @Override
  public String toString() {
    String act =
        switch (access) {
          case READ -> "reads ";
          case WRITE -> "writes ";
          case READ_WRITE -> "reads and writes ";
        };
    return act + name() + (name().equals(memory) ? "" : " (" + memory + ")");
  }
}
