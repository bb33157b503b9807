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

  /** A batch on the one stream, with numbers that stay. */
  void batch() {
    for (int i = 0; i < Batches.OPERATIONS; i++) {
      launch(kernels, 2f, N);
    }
  }
}
