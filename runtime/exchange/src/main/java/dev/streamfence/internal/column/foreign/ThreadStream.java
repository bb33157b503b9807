package dev.streamfence.internal.column.foreign;

import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Work;

/** The default stream of the calling thread, which has one handle and is another one in each. */
final class ThreadStream {
  /** {@code CU_STREAM_PER_THREAD}. */
  static final long HANDLE = 2;

  private record ThreadPurpose(String purpose) implements UseLabels {}

  private ThreadStream() {}

  /** Makes it wait for the uses of an array that one more use depends on. */
  static void awaitUses(TrackedArray<?> array, Region region, boolean writes) {
    TrackedRuntime runtime = array.runtime();
    CudaDriver driver = runtime.driver();
    Timeline timeline = TrackedStream.timelineOf(runtime.streams().defaultStream());
    String purpose = "exporting " + array + " to the default stream of the thread";
    timeline.submit(
        Work.of(
            new ThreadPurpose(purpose),
            uses -> uses.use(region.hazards(), true, writes, 0),
            submission -> {
              EventHandle event = driver.createEvent();
              try {
                driver.recordEvent(event, submission.stream());
                driver.waitForEvent(driver.foreignStream(HANDLE), event);
              } finally {
                // The wait has captured it.
                driver.destroyEvent(event);
              }
            }));
  }
}
