package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.simulation.SimulatedDevice;

/** A device that loads whatever it is given, as a module without kernels. */
final class AnyImageDriver {
  private static final byte[] EMPTY =
      ".version 7.0\n.target sm_75\n.address_size 64\n".getBytes(US_ASCII);

  private AnyImageDriver() {}

  static DeviceRuntime open(RuntimeOptions options) {
    CudaDriver simulated = Inside.open(SimulatedDevice.builder().build());
    return RuntimeOverDriver.open(
        InterceptedDriver.of(
            simulated,
            (method, call) ->
                method.equals("loadModule")
                    ? simulated.loadModule("any image", EMPTY)
                    : call.proceed()),
        options);
  }
}
