package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Launches with arrays that are too short for what their kernel certainly touches. */
class BoundsOnTheSimulatedDeviceTest {
  private static final KernelImage IMAGE =
      KernelImage.resource(
          "kernels/vector.ptx", BoundsOnTheSimulatedDeviceTest.class::getResourceAsStream);
  private static final KernelSignature SAXPY =
      KernelSignature.entry("saxpy")
          .value("a", float.class)
          .reads("x", float[].class)
          .readWrites("y", float[].class)
          .threads("n", int.class, 256);
  private static final KernelSignature OVERRUN =
      KernelSignature.entry("overrun").writes("values", int[].class).threads("n", int.class, 256);

  private SimulatedDevice device;
  private DeviceRuntime gpu;
  private DeviceStream stream;

  @BeforeEach
  void open() {
    open(RuntimeOptions.defaults());
  }

  private void open(RuntimeOptions options) {
    device = SimulatedDevice.builder().build();
    gpu = DeviceRuntime.simulated(device, options);
    stream = gpu.streams().acquire();
  }

  @AfterEach
  void close() {
    gpu.close();
  }

  private void saxpy(DeviceArray<float[]> x, DeviceArray<float[]> y, int n) {
    LaunchRecorder recorder = LoadedModule.of(stream, IMAGE).recorder(SAXPY);
    try (LaunchRecorder open = recorder.begin()) {
      open.value(2f).array(x).array(y).threads(n).preflight().launch().commit();
    }
  }

  private DeviceArray<float[]> floats(int length) {
    return gpu.memory().upload(stream, new float[length]);
  }

  @Test
  void aLaunchThatReachesBeyondAnArrayIsRefusedWithBothNumbers() {
    try (DeviceArray<float[]> x = floats(100);
        DeviceArray<float[]> y = floats(1000)) {
      long launches = device.calls(DriverCall.LAUNCH_KERNEL);
      assertThatThrownBy(() -> saxpy(x, y, 1000))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(
              "saxpy: parameter 'x' has 100 elements; the kernel reads element 999 (n = 1000), ");
      assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isEqualTo(launches);
      // Nothing is half done: the arrays and the recorder go on.
      saxpy(x, y, 100);
      assertThat(y.download(stream)).containsOnly(0f);
    }
  }

  @Test
  void lengthsThatFitExactlyAreLaunchedForEachNumberOfThreads() {
    try (DeviceArray<float[]> x = floats(1000);
        DeviceArray<float[]> y = floats(1000)) {
      for (int n : new int[] {0, 1, 255, 256, 257, 999, 1000, 7, 1000}) {
        assertThatCode(() -> saxpy(x, y, n)).doesNotThrowAnyException();
      }
      assertThatThrownBy(() -> saxpy(x, y, 1001))
          .hasMessageContaining("the kernel reads element 1000 (n = 1001)");
    }
  }

  @Test
  void viewsAndPartsCountWithTheirOwnLength() {
    try (DeviceArray<float[]> x = floats(1000);
        DeviceArray<float[]> y = floats(1000)) {
      saxpy(x.view(500, 500), y, 500);
      assertThatThrownBy(() -> saxpy(x.view(501, 499), y, 500))
          .hasMessageContaining("has 499 elements; the kernel reads element 499");
    }
  }

  @Test
  void anEmptyArrayIsTooShortForAnyElement() {
    try (DeviceArray<float[]> x = floats(0);
        DeviceArray<float[]> y = floats(10)) {
      saxpy(x, y, 0);
      assertThatThrownBy(() -> saxpy(x, y, 1))
          .hasMessageContaining("has 0 elements; the kernel reads element 0");
    }
  }

  @Test
  void aKernelThatWritesOneElementTooManyIsNoticedBeforeItRuns() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[300])) {
      LaunchRecorder recorder = LoadedModule.of(stream, IMAGE).recorder(OVERRUN);
      assertThatThrownBy(
              () -> {
                try (LaunchRecorder open = recorder.begin()) {
                  open.array(values).threads(300).preflight().launch().commit();
                }
              })
          .hasMessageStartingWith(
              "overrun: parameter 'values' has 300 elements; the kernel writes element 300 (n ="
                  + " 300), ");
    }
  }

  @Test
  void aLaunchThatIsNotProvedIsRefusedWhereAProofIsRequired() {
    KernelSignature required = SAXPY.boundsRequired();
    try (DeviceArray<float[]> x = floats(300);
        DeviceArray<float[]> y = floats(300)) {
      LaunchRecorder recorder = LoadedModule.of(stream, IMAGE).recorder(required);
      for (int n : new int[] {300, 0, 299}) {
        try (LaunchRecorder open = recorder.begin()) {
          open.value(2f).array(x).array(y).threads(n).preflight().launch().commit();
        }
      }
      assertThatThrownBy(
              () -> {
                try (LaunchRecorder open = recorder.begin()) {
                  open.value(2f).array(x).array(y).threads(301).preflight();
                }
              })
          .hasMessageContaining("parameter 'x' has 300 elements; the kernel reads element 300");
    }
  }

  @Test
  void withoutBoundsChecksTheSimulatedDeviceReportsTheAccess() {
    gpu.close();
    open(RuntimeOptions.defaults().withBoundsChecks(false));
    try (DeviceArray<float[]> x = floats(100);
        DeviceArray<float[]> y = floats(1000)) {
      assertThatThrownBy(
              () -> {
                saxpy(x, y, 1000);
                stream.synchronize();
              })
          .hasMessageContaining("end 4 bytes beyond the nearest allocation");
    }
  }
}
