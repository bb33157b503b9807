package dev.streamfence.internal.simulator;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.launch.VectorKernels;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Programs over a runtime that depend on their seed alone: launches, fills and copies of shared
 * arrays, each step on another stream than the one before. Each stream reads shared arrays into an
 * array of its own. Downloads make the host wait.
 */
record Programs(long seed, int streams, int shared, int steps, HostCopies hostCopies) {
  /**
   * The copies through the host that the program makes as well, with the number of kinds of step.
   */
  enum HostCopies {
    NONE(12),
    UPLOADS(15),
    UPLOADS_AND_DOWNLOADS(16);

    private final int kinds;

    HostCopies(int kinds) {
      this.kinds = kinds;
    }
  }

  private static final int N = 32;

  /** Runs the program and closes everything. */
  void run(DeviceRuntime gpu) {
    new Running(gpu).run();
  }

  private final class Running {
    private final DeviceRuntime gpu;
    private final Random random = new Random(seed);
    private final List<DeviceStream> lanes = new ArrayList<>();
    private final List<VectorKernels> kernels = new ArrayList<>();
    private final List<DeviceArray<int[]>> own = new ArrayList<>();
    private final List<DeviceArray<int[]>> arrays = new ArrayList<>();

    Running(DeviceRuntime gpu) {
      this.gpu = gpu;
    }

    void run() {
      for (int i = 0; i < streams; i++) {
        DeviceStream lane = gpu.streams().acquire();
        lanes.add(lane);
        kernels.add(VectorKernels.on(lane));
        own.add(gpu.memory().allocateZeroed(lane, int[].class, N));
      }
      for (int i = 0; i < shared; i++) {
        arrays.add(gpu.memory().allocateZeroed(lanes.get(i % streams), int[].class, N));
      }
      int lane = 0;
      for (int step = 0; step < steps; step++) {
        lane = (lane + 1 + random.nextInt(streams - 1)) % streams;
        step(lane);
      }
      arrays.forEach(DeviceArray::close);
      own.forEach(DeviceArray::close);
      gpu.close();
    }

    private void step(int lane) {
      DeviceStream stream = lanes.get(lane);
      int at = random.nextInt(shared);
      DeviceArray<int[]> one = arrays.get(at);
      DeviceArray<int[]> other = arrays.get(random.nextInt(shared));
      switch (random.nextInt(hostCopies.kinds)) {
        case 0, 1, 2 -> kernels.get(lane).increment(one, N);
        case 3, 4, 5 -> kernels.get(lane).add(one, other, own.get(lane), N);
        case 6, 7 -> kernels.get(lane).add(own.get(lane), one, other, N);
        case 8 -> one.fill(stream, 3);
        case 9 -> one.copyFrom(stream, own.get(lane));
        case 10 -> own.get(lane).copyFrom(stream, one);
        case 12, 13, 14 -> one.upload(stream, new int[N]);
        case 15 -> one.download(stream);
        default -> {
          one.close();
          arrays.set(at, gpu.memory().allocateZeroed(stream, int[].class, N));
        }
      }
    }
  }
}
