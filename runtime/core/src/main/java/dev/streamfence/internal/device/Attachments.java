package dev.streamfence.internal.device;

import dev.streamfence.DeviceException;
import dev.streamfence.internal.order.Teardown;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Objects that other packages keep per runtime, one of each type; closed with it. Thread-safe. */
final class Attachments {
  private final TrackedRuntime runtime;
  // Guarded by this.
  private final Map<Class<?>, AutoCloseable> attached = new LinkedHashMap<>();

  Attachments(TrackedRuntime runtime) {
    this.runtime = runtime;
  }

  /**
   * The attachment of a type, created at the first call. The calling thread has entered the
   * runtime, so nothing is attached after it is closed.
   */
  synchronized <T extends AutoCloseable> T get(Class<T> type, Function<TrackedRuntime, T> factory) {
    AutoCloseable existing = attached.get(type);
    if (existing == null) {
      existing = factory.apply(runtime);
      attached.put(type, existing);
    }
    return type.cast(existing);
  }

  /**
   * Closes the attachments, last one first, as steps of the runtime's teardown. The runtime is no
   * longer open.
   */
  void close(Teardown teardown) {
    List<AutoCloseable> lastFirst;
    synchronized (this) {
      lastFirst = new ArrayList<>(attached.values());
    }
    Collections.reverse(lastFirst);
    for (AutoCloseable attachment : lastFirst) {
      teardown.step(() -> closeUnchecked(attachment));
    }
  }

  private static void closeUnchecked(AutoCloseable attachment) {
    try {
      attachment.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new DeviceException("closing " + attachment + " failed", e);
    }
  }
}
