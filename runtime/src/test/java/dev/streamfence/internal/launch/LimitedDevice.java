package dev.streamfence.internal.launch;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.FunctionAttributes;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A device whose limits are small and all different, so that a test sees which one it has reached.
 * It runs no kernel, and records the requests.
 */
final class LimitedDevice {
  static final int SHARED = 1024;
  static final int SHARED_OPT_IN = 2048;
  static final int STATIC_SHARED = 256;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final List<String> asked = new ArrayList<>();

  DeviceRuntime open() {
    CudaDriver simulated = Inside.open(device);
    return RuntimeOverDriver.open(
        InterceptedDriver.of(
            simulated,
            (method, call) ->
                switch (method) {
                  case "properties" -> limited(simulated.properties());
                  case "attributes" -> new FunctionAttributes(64, STATIC_SHARED);
                  case "allowDynamicSharedBytes" -> {
                    asked.add("allow " + call.argument(1));
                    yield null;
                  }
                  case "residentBlocksPerMultiprocessor" -> {
                    asked.add(
                        "fit " + call.argument(1) + " threads, " + call.argument(2) + " bytes");
                    yield 2;
                  }
                  case "launchKernel" -> {
                    KernelLaunch launch = (KernelLaunch) call.argument(0);
                    asked.add(
                        Stream.of(
                                launch.gridX(),
                                launch.gridY(),
                                launch.gridZ(),
                                launch.blockX(),
                                launch.blockY(),
                                launch.blockZ(),
                                launch.dynamicSharedBytes())
                            .map(String::valueOf)
                            .collect(Collectors.joining(" ", "launch ", "")));
                    yield null;
                  }
                  default -> call.proceed();
                }),
        RuntimeOptions.defaults());
  }

  /** The requests since the last call: shapes as grid, block and dynamic shared bytes. */
  List<String> asked() {
    List<String> since = List.copyOf(asked);
    asked.clear();
    return since;
  }

  int liveObjects() {
    return device.liveObjects();
  }

  private static DeviceProperties limited(DeviceProperties device) {
    return new DeviceProperties(
        device.name(),
        device.ordinal(),
        device.computeMajor(),
        device.computeMinor(),
        device.driverVersion(),
        device.totalMemoryInBytes(),
        12,
        70,
        32,
        16,
        4,
        7,
        6,
        5,
        SHARED,
        SHARED_OPT_IN);
  }
}
