package dev.streamfence.examples.tpch;

/**
 * A file with rows cannot be read or written. The message names the file, and the column and row.
 */
final class DataFileException extends RuntimeException {
  private static final long serialVersionUID = 1;

  DataFileException(String message) {
    super(message);
  }

  DataFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
