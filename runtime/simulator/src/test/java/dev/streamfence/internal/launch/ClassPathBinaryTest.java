package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Binaries beside the image on the class path. */
final class ClassPathBinaryTest {
  private static final String PTX =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry %s() { ret; }\n";

  private final Map<String, byte[]> classPath =
      Map.of(
          "/kernels/vector.ptx", PTX.formatted("inTheImage").getBytes(US_ASCII),
          // The simulated device loads it as what it is, whatever it is called.
          "/kernels/vector.sm_90.cubin", PTX.formatted("inTheBinary").getBytes(US_ASCII));

  private final List<String> opened = new ArrayList<>();
  private final KernelImage image =
      KernelImage.resource(
          "kernels/vector.ptx",
          name -> {
            opened.add(name);
            byte[] bytes = classPath.get(name);
            return bytes == null ? null : new ByteArrayInputStream(bytes);
          });

  private void assertLoaded(String entry, RuntimeOptions options) {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(SimulatedDevice.builder().build(), options)) {
      LoadedModule.of(gpu.streams().acquire(), image)
          .recorder(KernelSignature.entry(entry).shape("shape"));
    }
  }

  @Test
  void aBinaryForTheVeryDeviceComesBeforeTheImage() {
    assertLoaded("inTheBinary", RuntimeOptions.defaults().withUncheckedBinaries(true));
    assertThat(opened).containsExactly("/kernels/vector.sm_90.cubin");
  }

  @Test
  void anUncomparedBinaryIsNotLookedFor() {
    assertLoaded("inTheImage", RuntimeOptions.defaults());
    assertThat(opened).containsExactly("/kernels/vector.ptx");
  }
}
