package dev.streamfence;

/**
 * A stream, recorder or array was used in a way that cannot be ordered safely. Nothing was queued.
 */
public final class StreamMisuseException extends DeviceException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message names the culprit and what to do instead. */
  public StreamMisuseException(String message) {
    super(message);
  }
}
