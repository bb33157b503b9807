package dev.streamfence.internal.launch;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceAttribute;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.FunctionAttributes;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
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
    Map<DeviceAttribute, Integer> limits = new EnumMap<>(DeviceAttribute.class);
    limits.put(DeviceAttribute.MULTIPROCESSORS, 12);
    limits.put(DeviceAttribute.MAX_THREADS_PER_BLOCK, 70);
    limits.put(DeviceAttribute.MAX_BLOCK_X, 32);
    limits.put(DeviceAttribute.MAX_BLOCK_Y, 16);
    limits.put(DeviceAttribute.MAX_BLOCK_Z, 4);
    limits.put(DeviceAttribute.MAX_GRID_X, 7);
    limits.put(DeviceAttribute.MAX_GRID_Y, 6);
    limits.put(DeviceAttribute.MAX_GRID_Z, 5);
    limits.put(DeviceAttribute.SHARED_BYTES_PER_BLOCK, SHARED);
    limits.put(DeviceAttribute.SHARED_BYTES_PER_BLOCK_OPT_IN, SHARED_OPT_IN);
    return DeviceProperties.of(
        device.identity(), device.driverVersion(), device.totalMemoryInBytes(), limits);
  }
}
