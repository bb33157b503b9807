package dev.streamfence.internal.order;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What stands for the inputs of a graph: each is a range of addresses that was recorded, and the
 * range that is used instead. Confined to the holder of the graph's lock.
 */
public final class GraphBindings {
  private static final class Binding {
    private final long from;
    private final long bytes;
    private long now;
    private @Nullable Object argument;

    private Binding(long from, long bytes) {
      this.from = from;
      this.bytes = bytes;
      this.now = from;
    }

    private boolean contains(long address) {
      return address >= from && address < from + bytes;
    }
  }

  private final List<Binding> bindings = new ArrayList<>();

  /** Adds an input, for which its own memory stands at first; returns its number. */
  public int add(long address, long bytes) {
    bindings.add(new Binding(address, bytes));
    return bindings.size() - 1;
  }

  /**
   * Lets other memory of the same size stand for an input.
   *
   * @param argument describes the memory, for reports
   */
  public void set(int input, long address, Object argument) {
    bindings.get(input).now = address;
    bindings.get(input).argument = argument;
  }

  /** Whether a recorded address belongs to an input. */
  public boolean isOf(int input, long address) {
    return bindings.get(input).contains(address);
  }

  /** Whether a recorded address belongs to any input. */
  public boolean contains(long address) {
    return bindings.stream().anyMatch(binding -> binding.contains(address));
  }

  /** The address that is used instead of a recorded one. */
  long translate(long address) {
    // An iterator would be an object per address.
    for (int i = 0; i < bindings.size(); i++) {
      Binding binding = bindings.get(i);
      if (binding.contains(address)) {
        return address - binding.from + binding.now;
      }
    }
    return address;
  }

  /** What is used instead of the argument at a recorded address, in words. */
  String describe(long address, String argument) {
    for (Binding binding : bindings) {
      if (binding.contains(address) && binding.argument != null) {
        return binding.argument.toString();
      }
    }
    return argument;
  }
}
