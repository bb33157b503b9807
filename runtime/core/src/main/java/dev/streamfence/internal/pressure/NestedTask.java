package dev.streamfence.internal.pressure;

import dev.streamfence.memory.MemoryTask;

/** A task that a thread opens within another one, which it is a part of. Confined to the thread. */
public final class NestedTask implements MemoryTask {
  private final PressureTask whole;
  private boolean isClosed;

  NestedTask(PressureTask whole) {
    this.whole = whole;
  }

  PressureTask whole() {
    return whole;
  }

  @Override
  public int priority() {
    return whole.priority();
  }

  @Override
  public long heldBytes() {
    return whole.heldBytes();
  }

  @Override
  public void awaitTurn() {
    whole.awaitTurn();
  }

  @Override
  public void close() {
    if (!isClosed) {
      whole.closeOne();
      isClosed = true;
    }
  }

  @Override
  public String toString() {
    return whole.toString();
  }
}
