package dev.streamfence.simulation;

/**
 * A library that uses the simulated device beside the runtime, as cuBLAS or PyTorch use a GPU: with
 * streams, events and memory of its own, which it passes on as numbers, and with kernels that are
 * Java functions. Its calls do not count in {@link SimulatedDevice#calls()} and do not fail by
 * {@link SimulatedDevice#failCall}; the device checks its accesses like any others.
 *
 * <p>A kernel that is launched inside {@code DeviceStream.submit}, on the stream of that call, must
 * touch only the memory that the call declares and the library's own; elsewhere the library
 * declares nothing. The library's streams wait for the legacy default stream, number 1, only by
 * events.
 *
 * <p>Thread-safe. Every method throws an {@link IllegalStateException} while the device is not
 * open, a {@code CudaDriverException} once it is lost, and an {@link IllegalArgumentException} for
 * an unknown number.
 */
public interface SimulatedLibrary {
  /** Its name in reports. */
  String name();

  /** Creates a stream. */
  long createStream();

  /** Destroys one of its streams, after running everything queued there. */
  void destroyStream(long stream);

  /** Waits until everything queued on a stream, its own or any other, is done. */
  void synchronize(long stream);

  /**
   * Begins to capture a stream, its own or any other: until {@link #endCapture}, kernels that are
   * launched there do not run. The library can do nothing else on the stream meanwhile, and the
   * runtime nothing at all: what a GPU would capture is an error here, and so is waiting for the
   * whole device.
   *
   * @throws IllegalStateException if it is being captured
   */
  void beginCapture(long stream);

  /**
   * Ends the capture of a stream, and forgets the kernels.
   *
   * @return how many were captured
   * @throws IllegalStateException if it is not being captured
   */
  int endCapture(long stream);

  /** Creates an event that has not captured anything. */
  long createEvent();

  /** Destroys one of its events; waits already queued for it remain. */
  void destroyEvent(long event);

  /** Makes an event capture everything queued on a stream so far. */
  void recordEvent(long event, long stream);

  /** Makes everything queued later on a stream wait for what an event captured. */
  void waitForEvent(long stream, long event);

  /** Whether what an event captured is done. */
  boolean isDone(long event);

  /**
   * Allocates device memory that is ready immediately on every stream.
   *
   * @param bytes at least 1
   * @return the address, a multiple of 512
   * @throws IllegalArgumentException if the device has no room for it
   */
  long allocate(long bytes);

  /**
   * Frees its memory immediately. Work that still uses it, on any stream, is reported: a use that
   * is not known to be done counts as a race with this.
   *
   * @throws IllegalArgumentException if the memory is not this library's, or was freed before
   */
  void free(long address);

  /**
   * Frees its memory in the order of a stream: only after everything queued there.
   *
   * @throws IllegalArgumentException if the memory is not this library's, or was freed before
   */
  void free(long address, long stream);

  /**
   * Queues a kernel. It runs when the schedule selects it, in the thread that calls the driver
   * then, which holds the device's lock: it must not use the device. An exception that it throws
   * ends the device.
   *
   * @param kernel its name in reports
   */
  void launch(long stream, String kernel, SimulatedKernel code);
}
