package dev.streamfence;

import dev.streamfence.graph.GraphCode;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.device.RuntimeOpener;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.graph.GraphRecorder;
import dev.streamfence.trace.KernelTime;
import dev.streamfence.trace.Trace;
import java.time.Duration;
import java.util.List;

/**
 * One open device: its streams, its memory and the kernels loaded on it. The device is a GPU, or a
 * simulated one that runs the same PTX on the CPU.
 *
 * <p>Thread-safe. Arrays and streams of one runtime cannot be used with another, but arrays can be
 * {@linkplain ReadableArray#copyTo copied} to it, and its kernels can use them if it {@linkplain
 * #canAccess can access} them and the kernel's interface allows that.
 */
public sealed interface DeviceRuntime extends AutoCloseable permits TrackedRuntime {
  /**
   * Opens a GPU.
   *
   * @param ordinal its number, from 0
   * @throws DeviceException if there is no driver, no such device, or the device cannot be used;
   *     the message names the library or the device that is missing
   */
  static DeviceRuntime open(int ordinal) {
    return open(ordinal, RuntimeOptions.defaults());
  }

  /**
   * Opens a GPU, see {@link #open(int)}.
   *
   * @throws DeviceException as there
   * @throws IllegalArgumentException if the options ask for more streams than a runtime can have
   */
  static DeviceRuntime open(int ordinal, RuntimeOptions options) {
    return RuntimeOpener.open(ordinal, options);
  }

  /**
   * The runtime of a GPU that the whole process shares. The first call opens it with default
   * options; every call returns the same runtime. If opening fails, the next call tries again.
   *
   * <p>It lives as long as the process: {@link #close} throws, since other code may be using it.
   * Runtimes from {@link #open} are separate from it.
   *
   * @param ordinal its number, from 0
   * @throws DeviceException like {@link #open(int)}
   */
  static DeviceRuntime shared(int ordinal) {
    return RuntimeOpener.shared(ordinal);
  }

  /**
   * Whether {@link #open} of device 0 can succeed here: a CUDA driver is installed and sees a
   * device, and JCuda's natives for this platform are on the class or module path. Never throws.
   * Logs a message if only the natives may be missing.
   */
  static boolean isGpuAvailable() {
    return RuntimeOpener.isGpuAvailable();
  }

  /**
   * The facts of each GPU that the driver sees, in the order of their numbers; unmodifiable. Opens
   * none, and does not list simulated devices.
   *
   * <p>The list is empty without a CUDA driver, and where the driver is installed but cannot count
   * its devices, because the installation is broken. The second case is logged as a warning with
   * the driver's code, and {@link #open(int)} throws it as a {@link CudaDriverException}; without a
   * driver it throws another {@link DeviceException}.
   *
   * @throws CudaDriverException if the driver has counted a device and cannot describe it
   */
  static List<DeviceInfo> devices() {
    return RuntimeOpener.devices();
  }

  /**
   * Opens a simulated device with default settings. This needs no GPU and no CUDA driver, but the
   * artifact {@code streamfence-simulator}.
   *
   * @throws IllegalStateException if that artifact is not on the class path or module path
   */
  static DeviceRuntime simulated() {
    return RuntimeOpener.simulated();
  }

  /**
   * Opens a simulated device that the caller has built. The caller can inspect it, and inject
   * failures into it, while it is in use.
   *
   * @throws IllegalStateException if the device is open already
   * @throws IllegalArgumentException if {@code SimulatedDevice.builder()} has not made the device
   */
  static DeviceRuntime simulated(DeviceSimulation device) {
    return simulated(device, RuntimeOptions.defaults());
  }

  /**
   * Opens a simulated device, see {@link #simulated(DeviceSimulation)}.
   *
   * @throws IllegalStateException if the device is open already
   * @throws IllegalArgumentException if {@code SimulatedDevice.builder()} has not made the device,
   *     or the options ask for more streams than a runtime can have
   */
  static DeviceRuntime simulated(DeviceSimulation device, RuntimeOptions options) {
    return RuntimeOpener.simulated(device, options);
  }

  /** The facts of this device. Makes no driver call. */
  DeviceInfo info();

  /** Whether kernels run on the CPU. */
  boolean isSimulated();

  /**
   * Whether kernels of this runtime can use arrays of another one where they are: both are on one
   * GPU, or on two of which this one has peer access to the memory of the other. The first question
   * enables that access. A launch also needs {@code peer = true} at the kernel's parameter.
   *
   * @throws RuntimeClosedException if either is closed
   * @throws CudaDriverException if the driver fails to answer, or to enable the access
   */
  boolean canAccess(DeviceRuntime other);

  /** The streams of the device. */
  DeviceStreams streams();

  /** The memory of the device. */
  DeviceMemory memory();

  /**
   * Records a graph: runs the code once, and makes nodes of its launches, fills and copies, and of
   * its transfers with pinned arrays, instead of queuing them. What a node reads and writes decides
   * which nodes it comes after; the streams that the code names decide nothing. Allocations and
   * frees are carried out at once. Synchronises with the copies of tables of arrays, and with
   * nothing else.
   *
   * <p>In the code, this thread cannot synchronise streams, download to or upload from Java arrays,
   * call other code on a stream, copy to or from another device, export or split arrays, or unload
   * modules. Other threads are not affected, and neither is work that the code puts on another
   * runtime.
   *
   * @param name names the graph in errors, traces and pictures
   * @param code makes the launches; if it throws, no graph is made, and what it has allocated stays
   * @throws X what the code throws
   * @throws dev.streamfence.StreamMisuseException if this thread has a launch open or is recording
   *     a graph already
   * @throws CudaDriverException if the device is lost, or a driver call fails
   * @throws RuntimeClosedException if the runtime is closed
   */
  default <X extends Exception> KernelGraph graph(String name, GraphCode<X> code) throws X {
    return GraphRecorder.record(this, name, code);
  }

  /** Counts of what this runtime has done so far. */
  RuntimeStatistics statistics();

  /**
   * The trace of the work that was put on the streams.
   *
   * @throws IllegalStateException if the runtime was opened without one, see {@link
   *     RuntimeOptions#withTrace}
   */
  Trace trace();

  /**
   * How long the device has worked on each kernel, the longest total first. Does not wait: contains
   * the launches that are done. Empty unless the runtime was opened with {@link
   * RuntimeOptions#withDeviceTimes}.
   */
  List<KernelTime> kernelTimes();

  /**
   * Whether the device can be used. Asks the driver, also about each stream that may have work,
   * which finds a fault that no operation has met yet. Does not wait, and never throws.
   */
  DeviceHealth health();

  /**
   * Waits until everything queued on any stream so far is done, the frees of closed arrays
   * included. An interrupt does not end the wait; the thread stays interrupted.
   *
   * @throws CudaDriverException if some of it failed
   * @throws RuntimeClosedException if the runtime is closed
   */
  void synchronize();

  /**
   * Waits like {@link #synchronize()}, but no longer than a timeout.
   *
   * @param timeout at least 0
   * @return whether everything is done
   * @throws IllegalArgumentException if the timeout is negative
   * @throws InterruptedException if the thread is interrupted before or while it waits
   * @throws CudaDriverException if some of it failed
   * @throws RuntimeClosedException if the runtime is closed
   */
  boolean synchronize(Duration timeout) throws InterruptedException;

  /** Whether it is open: no thread has closed it or begun to. */
  boolean isOpen();

  /**
   * Waits for all work, then frees everything that belongs to the device. Reports arrays that are
   * still open through the logger {@code dev.streamfence.leaks}, with their allocation site if it
   * is traced, and frees them.
   *
   * <p>Closing waits for operations that other threads have already begun; operations begun later
   * throw a {@link RuntimeClosedException}. A launch whose thread has ended without closing it is
   * reported through the logger {@code dev.streamfence.launches} with its thread, and closed. So is
   * a launch that is still open {@link RuntimeOptions#abandonedLaunchTimeout} after closing began,
   * while its thread does something else. Closing again does nothing, but waits while another
   * thread closes. An interrupt does not end the wait; the thread stays interrupted.
   *
   * <p>Calls back the owners of adopted memory that were not called yet. Closing waits for such a
   * call that another thread has begun; after the same timeout it reports the call and stops
   * waiting, since the call may be waiting for this thread.
   *
   * <p>Completes the stages of all completions, and does not wait for what they continue with.
   *
   * @throws CudaDriverException the first failure; everything else is closed nevertheless
   * @throws StreamMisuseException if this thread is inside an operation of the runtime, or has a
   *     launch open
   * @throws IllegalStateException if this is the {@link #shared} runtime, which is never closed
   */
  @Override
  void close();

  /**
   * Closes like {@link #close()}, unless operations of other threads, queued work or the owners of
   * adopted memory, who are called in another thread, take longer than a timeout. After a timeout
   * the runtime refuses all operations; a later call continues.
   *
   * @param timeout at least 0
   * @return whether it is closed
   * @throws IllegalArgumentException if the timeout is negative
   * @throws InterruptedException if the thread is interrupted before or while it waits; the runtime
   *     is then in the same state as after a timeout
   * @throws CudaDriverException as {@link #close()}
   * @throws StreamMisuseException as {@link #close()}
   * @throws IllegalStateException as {@link #close()}
   */
  boolean close(Duration timeout) throws InterruptedException;
}
