package dev.streamfence.internal.order;

/** What closing an allocation to new uses has led to. */
public enum Closing {
  /** It was closed before. */
  ALREADY_CLOSED,
  /** A submission has it pinned: it is freed with its last pin. */
  WITH_LAST_PIN,
  /** The caller frees it now. */
  NOW
}
