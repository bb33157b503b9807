package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.transfer.Bytes;
import dev.streamfence.internal.transfer.DeviceCopies;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.function.UnaryOperator;

/** A simulated device with three streams, for resources that a test composes itself. */
public final class SimulatedStreams implements AutoCloseable {
  public final SimulatedDevice device;
  public final CudaDriver driver;
  public final StreamPool pool;
  public final DeviceCopies copies;
  public final Timeline a;
  public final Timeline b;
  public final Timeline c;

  public SimulatedStreams(Schedule schedule) {
    this(schedule, 64 << 20);
  }

  public SimulatedStreams(Schedule schedule, long memoryInBytes) {
    this(schedule, memoryInBytes, UnaryOperator.identity());
  }

  /** Streams over a driver that the test watches, or makes fail. */
  public SimulatedStreams(Schedule schedule, InterceptedDriver.Interceptor interceptor) {
    this(schedule, 64 << 20, driver -> InterceptedDriver.of(driver, interceptor));
  }

  private SimulatedStreams(
      Schedule schedule, long memoryInBytes, UnaryOperator<CudaDriver> decoration) {
    device = SimulatedDevice.builder().schedule(schedule).memoryInBytes(memoryInBytes).build();
    driver = decoration.apply(Inside.open(device));
    pool = new StreamPool(driver, 8);
    copies = new DeviceCopies(pool, 1);
    a = pool.acquire();
    b = pool.acquire();
    c = pool.acquire();
  }

  /** Reads a block once on each of two streams. */
  public void readOn(Allocation block, Timeline... timelines) {
    for (Timeline timeline : timelines) {
      copies.download(
          timeline,
          Region.of(block).range(0, block.sizeInBytes()),
          Bytes.of((int) block.sizeInBytes(), 0));
    }
  }

  /** Submits work up to a ticket, and notes that it is done. */
  public void finish(Timeline timeline, long ticket) {
    while (timeline.submitted() < ticket) {
      try (Submission work = timeline.begin(new NamedUse("work"))) {
        work.preflight();
        work.commit();
      }
    }
    timeline.noteCompleted(ticket);
  }

  /** Closes the device, and checks that the test left nothing on it. */
  @Override
  public void close() {
    copies.destroy(true);
    pool.destroy();
    assertThat(device.liveObjects()).isZero();
    driver.close();
  }
}
