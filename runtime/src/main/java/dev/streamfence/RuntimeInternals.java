package dev.streamfence;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.memory.Block;
import dev.streamfence.internal.order.FaultLatch;
import dev.streamfence.internal.order.Life;
import dev.streamfence.internal.order.Timeline;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Internal: the parts of runtimes, streams and arrays that only the launch package may use, since
 * the runtime cannot track direct uses of a driver, a stream or an address. Immutable and
 * thread-safe.
 */
public final class RuntimeInternals {
  private static final String FRIEND = "dev.streamfence.launch";

  private RuntimeInternals() {}

  /**
   * Grants access to a class of the launch package. Refuses a class of that name from another
   * source as well: if it is loaded before any class of the package, the jar's seal does not keep
   * it out.
   *
   * @param caller that class's own lookup, which only a class of that package can create
   * @throws IllegalCallerException for every other caller
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

  /** The exception for a use of an array that is closed, or whose memory was handed over. */
  public UseAfterFreeException useAfterFree(DeviceArray<?> array, String use) {
    return array.useAfterFree(use);
  }

  /** Whether a runtime is open, and which threads are using it. */
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
   * The number of blocks that a number of threads needs.
   *
   * @param what name of the number of threads in errors
   * @throws IllegalArgumentException if it is negative
   */
  public long blocks(String what, long threads, int blockSize) {
    return LaunchShape.blocks(what, threads, blockSize);
  }

  /** The completion of the work with a ticket of a stream. */
  public Completion completion(
      DeviceRuntime runtime, Timeline timeline, long ticket, String purpose) {
    return runtime.completion(timeline, ticket, purpose);
  }

  /** The driver. The runtime does not track direct calls. */
  public CudaDriver driver(DeviceRuntime runtime) {
    return runtime.driver();
  }

  /** The device's properties. */
  public DeviceProperties properties(DeviceRuntime runtime) {
    return runtime.driver().properties();
  }

  /** The latch that holds the device's sticky error. */
  public FaultLatch faults(DeviceRuntime runtime) {
    return runtime.faults();
  }

  /** Counts and logs a launch that was neither committed nor refused after its preflight. */
  public void noteAbandoned(DeviceRuntime runtime, String purpose) {
    runtime.noteAbandoned(purpose);
  }

  /** The options that the runtime was opened with. */
  public RuntimeOptions options(DeviceRuntime runtime) {
    return runtime.options();
  }

  /**
   * An object that a package keeps per runtime, created at the first call, and closed with the
   * runtime before its streams.
   *
   * @param type identifies the object
   */
  public <T extends AutoCloseable> T attachment(
      DeviceRuntime runtime, Class<T> type, Function<DeviceRuntime, T> factory) {
    return runtime.attachment(type, factory);
  }
}
