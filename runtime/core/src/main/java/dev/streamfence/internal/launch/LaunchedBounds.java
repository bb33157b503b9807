package dev.streamfence.internal.launch;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of a kernel, found when its first launch asks for them: a launcher loads kernels that
 * it never launches. Thread-safe.
 */
final class LaunchedBounds {
  private @Nullable Supplier<@Nullable LoadedBounds> source;
  private @Nullable LoadedBounds found;

  LaunchedBounds(Supplier<@Nullable LoadedBounds> source) {
    this.source = source;
  }

  synchronized boolean areKnown() {
    return source == null;
  }

  /** The bounds; null if they are unknown, or not checked. */
  synchronized @Nullable LoadedBounds get() {
    if (source != null) {
      found = source.get();
      source = null;
    }
    return found;
  }
}
