package dev.streamfence.trace;

import java.util.Locale;

/** The kinds of work that a runtime puts on its streams. */
public enum WorkKind {
  /** A kernel runs. */
  LAUNCH,
  /** Data is copied from the host to the device. */
  UPLOAD,
  /** Data is copied from the device to the host. */
  DOWNLOAD,
  /** Data is copied within the device. */
  COPY,
  /** Memory is filled with one value. */
  FILL,
  /** Memory is allocated in the order of a stream. */
  ALLOCATION,
  /** Memory is freed in the order of a stream. */
  FREE,
  /** A graph of launches, fills and copies runs. */
  GRAPH,
  /** Nodes of a graph are repeated or left out, as a number on the device says. */
  CONDITION,
  /** Code that is not the runtime's puts work on a stream. */
  CALL,
  /** Anything else, such as the end of an export. */
  OTHER;

  /** The kind in one word, such as {@code upload}. */
  public String inWords() {
    return name().toLowerCase(Locale.ROOT);
  }
}
