package dev.streamfence.examples.spark;

import dev.streamfence.DeviceHealth;
import dev.streamfence.DeviceRuntime;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The device of an executor: one runtime, which its tasks share. The first task opens it, and
 * {@link DevicePlugin} closes it with the executor. Thread-safe.
 */
final class ExecutorDevice implements AutoCloseable {
  // Static, since Spark deserialises the code of a task in the executor, where nothing else leads
  // from a task to what its process shares.
  private static final ExecutorDevice OF_THIS_PROCESS = new ExecutorDevice(DeviceAddress::open);

  // Spark's log: that of the JDK is over when the hooks of an executor run.
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorDevice.class);

  private final Function<DeviceAddress, DeviceRuntime> opener;
  private @Nullable DeviceAddress address;
  private @Nullable DeviceRuntime runtime;
  private boolean isClosed;

  ExecutorDevice(Function<DeviceAddress, DeviceRuntime> opener) {
    this.opener = opener;
  }

  /** That of the executor that this process is. */
  static ExecutorDevice ofThisProcess() {
    return OF_THIS_PROCESS;
  }

  /**
   * The runtime on the device, which is opened for the first task.
   *
   * @throws IllegalStateException if the executor has another device, or ends
   */
  synchronized DeviceRuntime runtime(DeviceAddress assigned) {
    if (isClosed) {
      throw new IllegalStateException("the executor ends and has closed its device");
    }
    if (address != null && !address.equals(assigned)) {
      throw new IllegalStateException(
          "the executor has device '%s', and a task was assigned '%s'; give each executor one GPU"
              .formatted(address.text(), assigned.text()));
    }
    if (runtime == null) {
      runtime = opener.apply(assigned);
      address = assigned;
      LOG.info("opened {} as device {}", runtime, assigned.text());
    }
    return runtime;
  }

  /** Whether an error has ended the device's context: only another process can use it again. */
  synchronized boolean isLost() {
    return runtime != null && runtime.health().state() == DeviceHealth.State.LOST;
  }

  /** Closes the runtime, which waits for its work. No runtime is opened afterwards. */
  @Override
  public synchronized void close() {
    isClosed = true;
    if (runtime != null) {
      long liveBytes = runtime.memory().statistics().liveBytes();
      runtime.close();
      LOG.info("closed {}, where {} bytes were left", runtime, liveBytes);
      runtime = null;
    }
  }
}
