package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;

/** A process that runs checksum programs on a device that it opens, and prints the checksums. */
final class ChecksumProcess {
  private ChecksumProcess() {}

  /** Arguments: {@code gpu} or {@code simulated}, elements, programs, the first seed. */
  public static void main(String[] arguments) {
    int elements = Integer.parseInt(arguments[1]);
    int programs = Integer.parseInt(arguments[2]);
    long first = Long.parseLong(arguments[3]);
    try (DeviceRuntime gpu =
        arguments[0].equals("gpu")
            ? DeviceRuntime.open(0)
            : DeviceRuntime.simulated(
                SimulatedDevice.builder().schedule(Schedule.RANDOM).seed(first).build())) {
      for (long seed = first; seed < first + programs; seed++) {
        for (ChecksumProgram program : ChecksumProgram.values()) {
          System.out.println(program + " " + seed + " " + program.checksum(gpu, elements, seed));
        }
      }
      gpu.synchronize();
      gpu.memory().reap();
      System.out.println("outstanding " + gpu.memory().bytesOutstanding());
    }
  }
}
