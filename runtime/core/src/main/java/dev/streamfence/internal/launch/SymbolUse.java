package dev.streamfence.internal.launch;

import dev.streamfence.internal.memory.Region;

/**
 * A kernel's use of a variable of its module. Immutable.
 *
 * @param name the variable's name
 * @param region its memory
 * @param reads whether the kernel may load from it
 * @param writes whether the kernel may store to it
 */
record SymbolUse(String name, Region region, boolean reads, boolean writes) {
  /** The uses of a kernel that uses no variable. */
  static final SymbolUse[] NONE = {};
}
