package dev.streamfence.ptx;

/**
 * A step that is taken only under a predicate.
 *
 * @param slot where the predicate is
 * @param wanted the value under which the step is taken, 0 or 1
 */
record Guarded(Op inner, int slot, long wanted) implements Op {
  @Override
  public void execute(Lane lane) {
    if (lane.registers[slot] == wanted) {
      inner.execute(lane);
    }
  }
}
