package dev.streamfence.examples.spark;

import dev.streamfence.DeviceRuntime;
import java.util.regex.Pattern;
import org.apache.spark.TaskContext;
import org.apache.spark.resource.ResourceInformation;

/**
 * The device that Spark's scheduler assigned to a task: what the discovery script printed for it.
 * Immutable.
 *
 * @param text the number of a GPU, or a text that begins with {@code simulated}
 */
record DeviceAddress(String text) {
  /** The name of the resource in Spark's configuration. */
  static final String RESOURCE = "gpu";

  private static final Pattern VALID = Pattern.compile("simulated.*|[0-9]{1,4}");

  /** The address of a task without a resource of that name. */
  static final DeviceAddress UNASSIGNED = new DeviceAddress("simulated");

  DeviceAddress {
    if (!VALID.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "'%s' is neither the number of a GPU nor the simulated device; see the discovery script"
              .formatted(text));
    }
  }

  /** The address that the scheduler assigned to the task. */
  static DeviceAddress of(TaskContext task) {
    ResourceInformation assigned = task.resourcesJMap().get(RESOURCE);
    return assigned == null || assigned.addresses().length == 0
        ? UNASSIGNED
        : new DeviceAddress(assigned.addresses()[0]);
  }

  /**
   * Opens the GPU, or the simulated device if the address is one of it or this machine has no
   * usable GPU.
   */
  DeviceRuntime open() {
    return text.startsWith("simulated") || !DeviceRuntime.isGpuAvailable()
        ? DeviceRuntime.simulated()
        : DeviceRuntime.open(Integer.parseInt(text));
  }
}
