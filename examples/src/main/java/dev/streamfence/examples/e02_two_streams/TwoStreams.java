package dev.streamfence.examples.e02_two_streams;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.util.Arrays;

/**
 * Produces numbers on one stream and squares them on another. The program never tells the second
 * stream to wait for the first: the launchers know that one kernel writes the array that the other
 * reads, and insert the wait.
 */
public final class TwoStreams {
  private TwoStreams() {}

  /** Prints the squares of 1 to 10, and how many waits the launchers inserted. */
  public static void main(String[] arguments) {
    try (DeviceRuntime device =
        DeviceRuntime.isGpuAvailable() ? DeviceRuntime.open(0) : DeviceRuntime.simulated()) {
      System.out.println(Arrays.toString(squares(device, 1, 10)));
      System.out.println("waits between streams: " + device.statistics().waits());
    }
  }

  /**
   * Waits for the device and returns the squares of {@code count} numbers from {@code first} on.
   */
  static long[] squares(DeviceRuntime device, int first, int count) {
    try (DeviceStream producer = device.streams().acquire();
        DeviceStream consumer = device.streams().acquire();
        DeviceArray<int[]> numbers = device.memory().allocate(producer, int[].class, count);
        DeviceArray<long[]> squares = device.memory().allocate(consumer, long[].class, count)) {
      SequenceKernelsLauncher.on(producer).iota(numbers, first, count);
      SequenceKernelsLauncher.on(consumer).square(numbers, squares, count);
      return squares.download(consumer);
    }
  }
}
