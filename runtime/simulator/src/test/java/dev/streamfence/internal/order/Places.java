package dev.streamfence.internal.order;

/** Gives streams places of their own for their reads, as if they had met often. */
public final class Places {
  private Places() {}

  /** From now on, none of these streams keeps another one from reading. */
  public static void share(HazardState state, Timeline... readers) {
    state.lock();
    for (Timeline reader : readers) {
      state.share(reader);
    }
    state.unlock();
  }
}
