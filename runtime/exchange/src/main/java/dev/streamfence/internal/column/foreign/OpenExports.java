package dev.streamfence.internal.column.foreign;

import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.device.ExportedArray;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.order.Teardown;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The arrays of one runtime that other libraries have. Thread-safe. */
final class OpenExports implements AutoCloseable {
  private final TrackedRuntime runtime;
  private final Set<ExportedArray> exports = ConcurrentHashMap.newKeySet();
  private final Set<EventHandle> events = ConcurrentHashMap.newKeySet();

  private OpenExports(TrackedRuntime runtime) {
    this.runtime = runtime;
  }

  /** Those of a runtime, which the calling thread has entered. */
  static OpenExports of(TrackedRuntime runtime) {
    return runtime.attachment(OpenExports.class, OpenExports::new);
  }

  /**
   * Exports an array.
   *
   * @param stream the raw handle of the other library's stream; empty if none is known
   * @return takes the array back, once; any thread may call it
   */
  Runnable add(TrackedArray<?> array, String purpose, boolean writable, OptionalLong stream) {
    ExportedArray export = ExportedArray.of(array, purpose, writable, stream);
    exports.add(export);
    return () -> {
      exports.remove(export);
      export.end();
    };
  }

  /** An event for another library, which exists until {@link #destroyEvent} or the close. */
  EventHandle createEvent() {
    EventHandle event = runtime.driver().createEvent();
    events.add(event);
    return event;
  }

  /** Destroys an event, once; any thread may call it. */
  void destroyEvent(EventHandle event) {
    if (runtime.life().tryEnter()) {
      try {
        if (events.remove(event)) {
          runtime.driver().inThreadOfOthers(() -> runtime.driver().destroyEvent(event));
        }
      } finally {
        runtime.life().leave();
      }
    }
  }

  /** Reports what other libraries still have when the runtime is closed, which frees it. */
  @Override
  public void close() {
    for (ExportedArray export : exports) {
      runtime.warn(LogTopic.LEAKS, runtime + " is closed while another library has the " + export);
    }
    Teardown teardown = new Teardown();
    for (EventHandle event : events) {
      teardown.step(() -> runtime.driver().destroyEvent(event));
    }
    teardown.finish();
  }
}
