package dev.streamfence;

import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.DeviceProperties;
import dev.streamfence.memory.Block;
import dev.streamfence.stream.FaultLatch;
import dev.streamfence.stream.Life;
import dev.streamfence.stream.Timeline;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the launch room needs of runtimes, streams and arrays, and nobody else gets: what is done
 * with a driver, a stream or an address behind the runtime's back is tracked by nobody. Immutable
 * and thread-safe.
 */
public final class RuntimeInternals {
  private static final String FRIEND = "dev.streamfence.launch";

  private RuntimeInternals() {}

  /**
   * The way in, for a class of the launch room. One of that name from elsewhere is refused, too: if
   * it is loaded before any class of the package, the jar's seal does not keep it out.
   *
   * @param caller that class's own lookup, which only a class of that package can make
   * @throws IllegalCallerException for everybody else
   */
  public static RuntimeInternals of(MethodHandles.Lookup caller) {
    if ((caller.lookupModes() & MethodHandles.Lookup.ORIGINAL) == 0
        || !caller.lookupClass().getPackageName().equals(FRIEND)
        || !isFromHere(caller.lookupClass())) {
      throw new IllegalCallerException(
          caller.lookupClass().getName()
              + " asks for what only "
              + FRIEND
              + " may have; launch through a LaunchRecorder");
    }
    return new RuntimeInternals();
  }

  private static boolean isFromHere(Class<?> type) {
    return type.getClassLoader() == RuntimeInternals.class.getClassLoader()
        && Objects.equals(
            type.getProtectionDomain().getCodeSource(),
            RuntimeInternals.class.getProtectionDomain().getCodeSource());
  }

  /** The array's memory; null for an empty array. */
  public @Nullable Block block(DeviceArray<?> array) {
    return array.block();
  }

  /** Whether an empty array was closed, or the array's memory was handed over to another one. */
  public boolean isGone(DeviceArray<?> array) {
    return array.isGone();
  }

  /** The refusal of a use of an array that is closed, or whose memory was handed over. */
  public UseAfterFreeException useAfterFree(DeviceArray<?> array, String use) {
    return array.useAfterFree(use);
  }

  /** Whether a runtime is open, and which threads use it at the moment. */
  public Life life(DeviceRuntime runtime) {
    return runtime.life();
  }

  /**
   * The order of a stream's work.
   *
   * @throws StreamMisuseException if the stream or its runtime is closed
   */
  public Timeline timeline(DeviceStream stream) {
    return stream.timeline();
  }

  /**
   * How many blocks it takes for so many threads.
   *
   * @param what the number of threads, for errors
   * @throws IllegalArgumentException if it is negative
   */
  public long blocks(String what, long threads, int blockSize) {
    return LaunchShape.blocks(what, threads, blockSize);
  }

  /** When the work with a ticket of a stream is done. */
  public Completion completion(
      DeviceRuntime runtime, Timeline timeline, long ticket, String purpose) {
    return runtime.completion(timeline, ticket, purpose);
  }

  /** The driver. What is done with it directly is not tracked. */
  public CudaDriver driver(DeviceRuntime runtime) {
    return runtime.driver();
  }

  /** What the device is. */
  public DeviceProperties properties(DeviceRuntime runtime) {
    return runtime.driver().properties();
  }

  /** The device's fatal error. */
  public FaultLatch faults(DeviceRuntime runtime) {
    return runtime.faults();
  }

  /** Counts and logs a launch that was neither committed nor refused after its preflight. */
  public void noteAbandoned(DeviceRuntime runtime, String purpose) {
    runtime.noteAbandoned(purpose);
  }

  /** How the runtime was opened. */
  public RuntimeOptions options(DeviceRuntime runtime) {
    return runtime.options();
  }

  /**
   * What a room keeps per runtime, made at the first call, and closed with the runtime before its
   * streams.
   *
   * @param type identifies it
   */
  public <T extends AutoCloseable> T attachment(
      DeviceRuntime runtime, Class<T> type, Function<DeviceRuntime, T> factory) {
    return runtime.attachment(type, factory);
  }
}
