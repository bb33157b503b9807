package dev.streamfence.internal.completion;

/** Downloads that nothing refers to any more. */
public final class Unreachable {
  private Unreachable() {}

  /** Does what happens to such a download. */
  public static void clean(TrackedDownload<?> download) {
    download.delivery.run();
  }
}
