package dev.streamfence.examples.spark;

import java.util.Map;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Closes the device of an executor with the executor, and ends an executor whose device is lost, so
 * that Spark starts another: name this class in {@code spark.plugins}. Thread-safe.
 */
public final class DevicePlugin implements SparkPlugin {
  /** The exit status of an executor whose device is lost. */
  static final int DEVICE_LOST = 20;

  /** For Spark, which makes the plugin by its name. */
  public DevicePlugin() {}

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {};
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new Executor(ExecutorDevice.ofThisProcess());
  }

  private record Executor(ExecutorDevice device) implements ExecutorPlugin {
    @Override
    public void init(PluginContext context, Map<String, String> extraConfiguration) {
      // An executor that Spark kills runs its hooks, but not always the end of its plugins.
      Runtime.getRuntime().addShutdownHook(new Thread(device::close, "device of the executor"));
    }

    @Override
    public void onTaskFailed(TaskFailedReason reason) {
      if (device.isLost()) {
        System.exit(DEVICE_LOST);
      }
    }

    @Override
    public void shutdown() {
      device.close();
    }
  }
}
