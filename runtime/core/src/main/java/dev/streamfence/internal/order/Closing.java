package dev.streamfence.internal.order;

/** What closing an allocation to new uses has led to. */
public enum Closing {
  /** It was closed before. */
  ALREADY_CLOSED,
  /** A use is not submitted, or other code holds it: it is freed when the last of them ends. */
  WITH_LAST_USE,
  /** The caller frees it now. */
  NOW
}
