package dev.streamfence.internal.simulator;

import dev.streamfence.corpus.Growth;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The cost of a program is proportional to its length, however much of it is queued or alive. */
@Tag("exhaustive")
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class GrowthTest {
  private static final int BYTES = 256;

  private static final String KERNEL =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry store(.param .u64 to)
      {
        .reg .b64 %to;
        ld.param.u64 %to, [to];
        st.global.u32 [%to], 7;
        ret;
      }
      """;

  /** A program that does something a number of times. */
  enum Program {
    ARRAYS {
      @Override
      void run(CudaDriver driver, int n) {
        StreamHandle stream = driver.createStream(0);
        long[] arrays = new long[n];
        for (int i = 0; i < n; i++) {
          arrays[i] = driver.allocateAsync(BYTES, stream);
        }
        driver.synchronizeStream(stream);
        for (long array : arrays) {
          driver.freeAsync(array, stream);
        }
        driver.synchronizeStream(stream);
      }
    },
    ARRAYS_AT_ONE_ADDRESS {
      @Override
      void run(CudaDriver driver, int n) {
        StreamHandle stream = driver.createStream(0);
        for (int i = 0; i < n; i++) {
          long array = driver.allocateAsync(BYTES, stream);
          driver.fillAsync(array, Byte.BYTES, i, BYTES, stream);
          driver.freeAsync(array, stream);
        }
        driver.synchronizeStream(stream);
      }
    },
    PENDING_FREES {
      @Override
      void run(CudaDriver driver, int n) {
        StreamHandle freeing = driver.createStream(0);
        StreamHandle allocating = driver.createStream(0);
        long[] arrays = new long[n];
        for (int i = 0; i < n; i++) {
          arrays[i] = driver.allocateAsync(BYTES, freeing);
        }
        for (long array : arrays) {
          driver.freeAsync(array, freeing);
        }
        for (int i = 0; i < n; i++) {
          driver.allocateAsync(BYTES, allocating);
        }
        driver.synchronizeDevice();
      }
    },
    EVENTS {
      @Override
      void run(CudaDriver driver, int n) {
        StreamHandle[] streams = {driver.createStream(0), driver.createStream(0)};
        EventHandle[] events = new EventHandle[n];
        for (int i = 0; i < n; i++) {
          events[i] = driver.createEvent();
          driver.recordEvent(events[i], streams[i % 2]);
          driver.waitForEvent(streams[(i + 1) % 2], events[i]);
        }
        driver.synchronizeStream(streams[n % 2]);
        for (EventHandle event : events) {
          driver.destroyEvent(event);
        }
      }
    },
    LAUNCHES {
      @Override
      void run(CudaDriver driver, int n) {
        StreamHandle stream = driver.createStream(0);
        FunctionHandle store = load(driver);
        long array = driver.allocateAsync(BYTES, stream);
        for (int i = 0; i < n; i++) {
          launch(driver, store, array, stream);
        }
        driver.synchronizeStream(stream);
      }
    },
    /** Each launch has bytes of its own, from the last ones to the first. */
    LAUNCHES_ON_PARTS {
      @Override
      void run(CudaDriver driver, int n) {
        StreamHandle stream = driver.createStream(0);
        FunctionHandle store = load(driver);
        long array = driver.allocateAsync(4L * n, stream);
        for (int i = n - 1; i >= 0; i--) {
          launch(driver, store, array + 4L * i, stream);
        }
        driver.synchronizeStream(stream);
      }
    };

    abstract void run(CudaDriver driver, int n);
  }

  static FunctionHandle load(CudaDriver driver) {
    ModuleHandle module =
        driver.loadModule("store.ptx", KERNEL.getBytes(StandardCharsets.US_ASCII));
    return driver.function(module, "store");
  }

  static void launch(CudaDriver driver, FunctionHandle store, long to, StreamHandle stream) {
    HostMemory frame = driver.allocateHost(16);
    frame.buffer().putLong(0, frame.address() + 8).putLong(8, to);
    driver.launchKernel(new KernelLaunch(store, false, stream, frame));
    driver.freeHost(frame);
  }

  /** A chain: each stream waits for the one before, and the host for the last. */
  static void streams(CudaDriver driver, int streams, int operations) {
    StreamHandle[] chain = new StreamHandle[streams];
    for (int i = 0; i < streams; i++) {
      chain[i] = driver.createStream(0);
    }
    long array = driver.allocateAsync(BYTES, chain[0]);
    EventHandle event = driver.createEvent();
    for (int i = 0; i < operations; i++) {
      driver.fillAsync(array, Byte.BYTES, i, BYTES, chain[i % streams]);
      driver.recordEvent(event, chain[i % streams]);
      driver.waitForEvent(chain[(i + 1) % streams], event);
    }
    driver.synchronizeStream(chain[operations % streams]);
  }

  static CudaDriver open(Schedule schedule) {
    return Inside.open(SimulatedDevice.builder().schedule(schedule).build());
  }

  @ParameterizedTest
  @EnumSource
  void theCostOfAProgramIsProportionalToItsLengthOnEverySchedule(Program program) {
    for (Schedule schedule : Schedule.values()) {
      Growth.requireProportional(2_000, n -> () -> program.run(open(schedule), n));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anOperationCostsNoMoreWithManyStreams(Schedule schedule) {
    Growth.requireProportional(64, n -> () -> streams(open(schedule), n, 8 * n));
  }
}
