package dev.streamfence.internal.recording;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What stands for the inputs of a graph, and for memory that was given up: each is a range of
 * addresses that was recorded, and the range that is used instead. Confined to the holder of the
 * graph's lock.
 */
public final class GraphBindings {
  /** The number of memory that is no input. */
  private static final int NO_INPUT = -1;

  /** A range, and what is used instead. */
  static final class Binding {
    private final int number;
    private final long from;
    private final long bytes;
    private long now;
    private @Nullable Object argument;

    private Binding(int number, long from, long bytes) {
      this.number = number;
      this.from = from;
      this.bytes = bytes;
      this.now = from;
    }

    private boolean contains(long address) {
      return address >= from && address < from + bytes;
    }

    /** The address that is used instead of one in the range. */
    long translate(long address) {
      return address - from + now;
    }
  }

  /** The inputs, by their numbers. */
  private final List<Binding> bindings = new ArrayList<>();

  private final TreeMap<Long, Binding> byAddress = new TreeMap<>();

  /** Adds an input, for which its own memory stands at first; returns its number. */
  public int add(long address, long bytes) {
    Binding added = new Binding(bindings.size(), address, bytes);
    bindings.add(added);
    byAddress.put(address, added);
    return bindings.size() - 1;
  }

  /** Lets other memory stand for some that is no input, from now on. */
  void replace(long address, long bytes, long by) {
    Binding replaced = new Binding(NO_INPUT, address, bytes);
    replaced.now = by;
    byAddress.put(address, replaced);
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

  /** The number of the input to which a recorded address belongs; -1 if it belongs to none. */
  public int inputAt(long address) {
    Binding binding = at(address);
    return binding == null ? NO_INPUT : binding.number;
  }

  /** The range that has a recorded address; null if nothing can be used instead. */
  @Nullable Binding at(long address) {
    Map.Entry<Long, Binding> before = byAddress.floorEntry(address);
    return before != null && before.getValue().contains(address) ? before.getValue() : null;
  }

  /** The address that is used instead of a recorded one. */
  public long translate(long address) {
    Binding binding = at(address);
    return binding == null ? address : binding.translate(address);
  }

  /** What is used instead of the argument at a recorded address, in words. */
  String describe(long address, String argument) {
    Binding binding = at(address);
    return binding == null || binding.argument == null ? argument : binding.argument.toString();
  }
}
