package dev.streamfence.examples.e10_graphs;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.graph.KernelGraph;
import java.util.Arrays;

/**
 * Adds interest to savings and to loans, year after year. The launches of one year are a graph, so
 * that each year costs the host one call, and the device works on both at the same time: the
 * runtime sees that they share no array.
 */
public final class CompoundInterest {
  private CompoundInterest() {}

  /** Prints what 100, 200 and 300 have become after 1000 years, and the graph of one year. */
  public static void main(String[] arguments) {
    try (DeviceRuntime device =
        DeviceRuntime.isGpuAvailable() ? DeviceRuntime.open(0) : DeviceRuntime.simulated()) {
      float[][] after = balances(device, new float[] {100, 200, 300}, 1000);
      System.out.println("savings: " + Arrays.toString(after[0]));
      System.out.println("loans: " + Arrays.toString(after[1]));
    }
  }

  /** Waits for the device and returns the balances of savings and of loans after some years. */
  static float[][] balances(DeviceRuntime device, float[] start, int years) {
    int n = start.length;
    try (DeviceStream stream = device.streams().acquire();
        DeviceArray<float[]> savings = device.memory().upload(stream, start);
        DeviceArray<float[]> loans = device.memory().upload(stream, start)) {
      InterestKernels kernels = InterestKernelsLauncher.on(stream);
      try (KernelGraph year =
          device.graph(
              "year",
              body -> {
                for (DeviceArray<float[]> balances : Arrays.asList(savings, loans)) {
                  DeviceArray<float[]> before = body.scratch(stream, float[].class, n);
                  before.copyFrom(stream, balances);
                  float rate = balances == savings ? 0.001f : 0.002f;
                  kernels.addInterest(rate, before, balances, n);
                }
              })) {
        System.out.print(year.toDot());
        for (int i = 0; i < years; i++) {
          year.launch(stream);
        }
        return new float[][] {savings.download(stream), loans.download(stream)};
      }
    }
  }
}
