package dev.streamfence.internal.order;

/** Memory that its user has named. */
public interface Tagged {
  /** The name; may be empty. */
  String tag();
}
