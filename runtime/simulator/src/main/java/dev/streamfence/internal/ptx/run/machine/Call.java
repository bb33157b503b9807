package dev.streamfence.internal.ptx.run.machine;

import java.util.List;

/**
 * A call: copies arguments to the callee's formals, and its results back. On either side, values
 * lie in parameter memory or in registers.
 */
public final class Call implements Op {
  /**
   * Moves one value between frames.
   *
   * @param from offset in parameter memory, or a slot
   * @param to offset in parameter memory, or a slot
   * @param bytes how many bytes move; 1, 2, 4 or 8 if a slot is involved
   */
  public record Move(boolean fromMemory, int from, boolean toMemory, int to, int bytes) {
    void apply(Frame source, Frame target) {
      if (fromMemory && toMemory) {
        System.arraycopy(source.params, from, target.params, to, bytes);
        return;
      }
      long value = fromMemory ? Bytes.get(source.params, from, bytes) : source.registers[from];
      if (toMemory) {
        Bytes.put(target.params, to, bytes, value);
      } else {
        target.registers[to] = value;
      }
    }
  }

  /** Determines the called function, which may depend on a register. */
  @FunctionalInterface
  public interface Callee {
    Code of(Lane lane);
  }

  private final Callee callee;
  private final Move[] arguments;
  private final Move[] results;

  public Call(Callee callee, List<Move> arguments, List<Move> results) {
    this.callee = callee;
    this.arguments = arguments.toArray(new Move[0]);
    this.results = results.toArray(new Move[0]);
  }

  @Override
  public void execute(Lane lane) {
    lane.call(callee.of(lane), this);
  }

  void passArguments(Frame caller, Frame called) {
    for (Move move : arguments) {
      move.apply(caller, called);
    }
  }

  void takeResults(Frame called, Frame caller) {
    for (Move move : results) {
      move.apply(called, caller);
    }
  }
}
