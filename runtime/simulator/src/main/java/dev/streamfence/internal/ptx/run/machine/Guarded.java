package dev.streamfence.internal.ptx.run.machine;

/**
 * A step that is executed only under a predicate.
 *
 * @param slot the slot of the predicate
 * @param wanted the value of the predicate for which the step is executed, 0 or 1
 */
public record Guarded(Op inner, int slot, long wanted) implements Op {
  @Override
  public void execute(Lane lane) {
    if (lane.registers[slot] == wanted) {
      inner.execute(lane);
    }
  }
}
