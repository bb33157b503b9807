package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.simulation.KernelMemory;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;

/**
 * What the Python program calls where there is no GPU: a simulated device, and libraries on it that
 * stand in for PyTorch and CuPy. Thread-safe.
 */
final class SimulatedPeers {
  private SimulatedPeers() {}

  /**
   * Creates a device that runs nothing before it must, so that a missing wait shows.
   *
   * @param seed of a random schedule; 0 for the lazy one
   * @param collects 1 to go on after races
   */
  static long device(long seed, long collects) {
    SimulatedDevice device =
        SimulatedDevice.builder()
            .schedule(seed == 0 ? Schedule.LAZY : Schedule.RANDOM)
            .seed(seed)
            .build();
    if (collects == 1) {
      device.collectFindings();
    }
    return Peers.number(device);
  }

  private static SimulatedDevice simulated(long device) {
    return Peers.object(device, SimulatedDevice.class);
  }

  static long open(long device) {
    return Peers.number(DeviceRuntime.simulated(simulated(device)));
  }

  /** What a closed runtime has left on the device. */
  static long liveObjects(long device) {
    return simulated(device).liveObjects();
  }

  static long findings(long device) {
    return simulated(device).findings().size();
  }

  static long library(long device, long index) {
    return Peers.number(simulated(device).library("peer " + index));
  }

  private static SimulatedLibrary library(long library) {
    return Peers.object(library, SimulatedLibrary.class);
  }

  static long createStream(long library) {
    return library(library).createStream();
  }

  static long createEvent(long library) {
    return library(library).createEvent();
  }

  static long recordEvent(long library, long event, long stream) {
    library(library).recordEvent(event, stream);
    return 0;
  }

  static long waitForEvent(long library, long stream, long event) {
    library(library).waitForEvent(stream, event);
    return 0;
  }

  static long destroyEvent(long library, long event) {
    library(library).destroyEvent(event);
    return 0;
  }

  static long allocate(long library, long floats) {
    return library(library).allocate(Float.BYTES * floats);
  }

  static long free(long library, long address, long stream) {
    library(library).free(address, stream);
    return 0;
  }

  static long fill(long library, long stream, long address, long floats, long value) {
    library(library)
        .launch(
            stream,
            "fill",
            memory -> {
              for (long i = 0; i < floats; i++) {
                memory.putFloat(address + Float.BYTES * i, value);
              }
            });
    return 0;
  }

  static long scale(long library, long stream, long source, long target, long floats, long factor) {
    library(library)
        .launch(
            stream,
            "scale",
            memory -> {
              for (long i = 0; i < floats; i++) {
                float value = memory.getFloat(source + Float.BYTES * i);
                memory.putFloat(target + Float.BYTES * i, factor * value);
              }
            });
    return 0;
  }

  /** How many elements are another number. Waits for the stream. */
  static long wrong(long library, long stream, long address, long floats, long expected) {
    long[] wrong = new long[1];
    library(library)
        .launch(stream, "compare", memory -> wrong[0] = wrong(memory, address, floats, expected));
    library(library).synchronize(stream);
    return wrong[0];
  }

  private static long wrong(KernelMemory memory, long address, long floats, long expected) {
    long wrong = 0;
    for (long i = 0; i < floats; i++) {
      wrong += memory.getFloat(address + Float.BYTES * i) == expected ? 0 : 1;
    }
    return wrong;
  }
}
