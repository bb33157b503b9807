package dev.streamfence.it.compare;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import java.util.List;
import java.util.stream.Stream;

/** Launches of one kernel with four arrays and two numbers, one block of 256 threads. */
final class Launches {
  static final int N = 256;

  final DeviceRuntime runtime;
  final DeviceStream stream;
  final CompareKernels kernels;
  private final List<DeviceArray<float[]>> arrays;

  Launches(Device device, RuntimeOptions options) {
    runtime = device.open(options);
    stream = runtime.streams().acquire();
    kernels = CompareKernelsLauncher.on(stream);
    arrays =
        Stream.generate(() -> runtime.memory().allocateZeroed(stream, float[].class, N))
            .limit(4)
            .toList();
  }

  /** A launch over the same arrays, with the numbers of the caller. */
  void launch(CompareKernels on, float factor, int n) {
    on.touch4(arrays.get(0), arrays.get(1), arrays.get(2), arrays.get(3), factor, n);
  }

  /** A launch that reads the first fifteen of some arrays. */
  static void sum15(CompareKernels on, List<DeviceArray<int[]>> a, DeviceArray<int[]> sum) {
    on.sum15(
        a.get(0), a.get(1), a.get(2), a.get(3), a.get(4), a.get(5), a.get(6), a.get(7), a.get(8),
        a.get(9), a.get(10), a.get(11), a.get(12), a.get(13), a.get(14), sum, N);
  }

  /** A batch on the one stream, with numbers that stay. */
  void batch() {
    for (int i = 0; i < Batches.OPERATIONS; i++) {
      launch(kernels, 2f, N);
    }
  }
}
