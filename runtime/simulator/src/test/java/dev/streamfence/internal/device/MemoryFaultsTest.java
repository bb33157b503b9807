package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.memory.AllocationLog;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.MemoryStatistics;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every driver call of every memory operation fails in turn, each with an error of every kind: no
 * byte is counted wrongly, nothing leaks, and the operation succeeds when it is repeated.
 */
final class MemoryFaultsTest {
  /** Small, since a run clears what it takes, and guarded memory is compared byte by byte. */
  private static final int LIMIT = 16 << 10;

  /** An operation on memory; the test closes the objects that it creates. */
  private enum Operation {
    ALLOCATE {
      @Override
      DeviceArray<int[]> run(World world) {
        return world.gpu.memory().allocate(world.a, int[].class, 100);
      }
    },
    ALLOCATE_WHEN_SHORT {
      @Override
      void prepare(World world) {
        world.gpu.memory().allocate(world.b, byte[].class, LIMIT - 400).close();
      }

      @Override
      DeviceArray<int[]> run(World world) {
        return world.gpu.memory().allocate(world.a, int[].class, 200);
      }
    },
    ALLOCATE_RESERVED {
      @Override
      DeviceArray<int[]> run(World world) {
        try (MemoryReservation reservation = world.gpu.memory().reserve(400)) {
          return reservation.allocate(world.a, int[].class, 100);
        }
      }
    },
    UPLOAD {
      @Override
      DeviceArray<int[]> run(World world) {
        return world.gpu.memory().upload(world.b, new int[100]);
      }
    },
    CLOSE {
      @Override
      DeviceArray<int[]> run(World world) {
        world.used.close();
        return null;
      }
    },
    REAP {
      @Override
      void prepare(World world) {
        world.gpu.memory().allocate(world.a, byte[].class, 64).close();
        world.gpu.memory().allocate(world.b, byte[].class, 32).close();
      }

      @Override
      DeviceArray<int[]> run(World world) {
        world.gpu.memory().reap();
        return null;
      }
    };

    void prepare(World world) {}

    abstract DeviceArray<int[]> run(World world);
  }

  /** A runtime with an array that was written on one stream and read on another one. */
  private static final class World {
    final SimulatedDevice device =
        SimulatedDevice.builder().schedule(Schedule.LAZY).memoryInBytes(8 << 20).build();
    final CudaDriver driver = Inside.open(device);
    final DeviceRuntime gpu;
    final DeviceStream a;
    final DeviceStream b;
    final DeviceArray<int[]> used;
    final DeviceArray<int[]> copy;

    World(RuntimeOptions options) {
      gpu = RuntimeOverDriver.open(driver, options);
      a = gpu.streams().acquire();
      b = gpu.streams().acquire();
      used = gpu.memory().upload(a, new int[] {1, 2, 3});
      copy = gpu.memory().allocate(b, int[].class, 3);
      copy.copyFrom(b, used);
      used.fill(a, 9);
    }
  }

  static Stream<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    RuntimeOptions plain = RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(LIMIT));
    List<RuntimeOptions> compositions =
        List.of(
            plain,
            plain.withDirectMemory(true),
            plain.withGuardMemory(true).withAllocationLog(AllocationLog.inMemory()),
            plain.withGuardMemory(true).withDirectMemory(true));
    for (RuntimeOptions options : compositions) {
      for (Operation operation : Operation.values()) {
        for (int code : new int[] {1, 2, 700, 999}) {
          cases.add(
              Arguments.of(
                  operation, code, options.guardMemory(), options.directMemory(), options));
        }
      }
    }
    return cases.stream();
  }

  @ParameterizedTest(name = "{0} with {1}, guarded {2}, direct {3}")
  @MethodSource("cases")
  void everyCallMayFail(
      Operation operation, int code, boolean guarded, boolean direct, RuntimeOptions options) {
    int runs = 0;
    for (int nth = 1; fails(operation, code, nth, options); nth++) {
      runs++;
    }
    assertThat(runs).isLessThan(200);
  }

  /** Whether the operation still came to its n-th call. */
  private static boolean fails(Operation operation, int code, int nth, RuntimeOptions options) {
    World world = new World(options);
    operation.prepare(world);
    MemoryStatistics before = world.gpu.memory().statistics();
    long calls = world.device.calls();
    world.device.failCall(nth, code);
    DeviceArray<int[]> made = null;
    boolean failed = false;
    try {
      made = operation.run(world);
    } catch (CudaDriverException | OutOfMemoryBudgetException e) {
      failed = true;
    }
    boolean reached = world.device.calls() - calls >= nth;
    useUp(world, calls + nth);
    boolean lost = code == 700 && isLost(world);
    if (failed && !lost) {
      MemoryStatistics after = world.gpu.memory().statistics();
      assertThat(after.liveBytes()).isEqualTo(before.liveBytes());
      assertThat(after.promisedBytes()).isZero();
      made = operation.run(world);
    }
    if (!lost) {
      assertThat(world.copy.download(world.a)).containsExactly(1, 2, 3);
    }
    finish(world, made, lost);
    return reached;
  }

  /**
   * Uses up a planned failure that the operation did not reach, so that later calls do not meet it.
   */
  private static void useUp(World world, long calls) {
    while (world.device.calls() < calls) {
      try {
        world.driver.memoryInfo();
      } catch (CudaDriverException planned) {
        return;
      }
    }
  }

  private static boolean isLost(World world) {
    return Inside.of(world.gpu).sticky().error() != null;
  }

  private static void finish(World world, DeviceArray<int[]> made, boolean lost) {
    if (made != null) {
      made.close();
    }
    world.used.close();
    world.copy.close();
    if (!lost) {
      world.gpu.synchronize();
    }
    while (world.gpu.memory().reap() > 0) {}
    MemoryStatistics end = world.gpu.memory().statistics();
    assertThat(end.liveBytes()).isZero();
    assertThat(end.pendingBytes()).isZero();
    assertThat(end.promisedBytes()).isZero();
    assertThat(end.guardViolations()).isZero();
    world.gpu.close();
    if (!lost) {
      assertThat(world.device.liveObjects()).isZero();
    }
  }
}
