package dev.streamfence.examples.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.spark.resource.ResourceInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "Spark runs the script through a shell")
class DiscoveryScriptTest {
  @TempDir private Path folder;

  @Test
  void eachGpuIsAnAddress() throws Exception {
    assertThat(addresses("printf '0\\n1\\n2\\n'")).containsExactly("0", "1", "2");
  }

  @Test
  void aHostWithoutADriverHasAddressesOfTheSimulatedDevice() throws Exception {
    assertThat(addresses("echo 'NVIDIA-SMI has failed'; exit 9"))
        .hasSize(8)
        .startsWith("simulated-0", "simulated-1");
  }

  @Test
  void aHostWithoutGpusHasAddressesOfTheSimulatedDevice() throws Exception {
    assertThat(addresses("exit 0")).hasSize(8).doesNotHaveDuplicates();
  }

  /** What Spark reads of the script's output where nvidia-smi does as given. */
  private String[] addresses(String smi) throws IOException, InterruptedException {
    Path tool = folder.resolve("nvidia-smi");
    Files.writeString(tool, "#!/bin/sh\n" + smi + "\n");
    Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwx------"));
    ProcessBuilder script =
        new ProcessBuilder(Path.of("discover-gpus.sh").toAbsolutePath().toString());
    script.environment().merge("PATH", folder.toString(), (path, first) -> first + ":" + path);
    Process process = script.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    ResourceInformation gpus = ResourceInformation.parseJson(output);
    assertThat(gpus.name()).isEqualTo(DeviceAddress.RESOURCE);
    return gpus.addresses();
  }
}
