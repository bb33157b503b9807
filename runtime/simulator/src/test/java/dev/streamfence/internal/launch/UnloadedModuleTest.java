package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelOccupancy;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Modules that are unloaded and loaded anew while their runtime is open. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class UnloadedModuleTest {
  private static final KernelSignature STORE =
      KernelSignature.entry("store").writes("out", int[].class).shape("shape");

  @TempDir private Path folder;
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();

  /** What the driver has refused to destroy. */
  private int leftOver;

  private DeviceRuntime gpu;
  private DeviceStream stream;

  @AfterEach
  void close() {
    if (gpu != null) {
      gpu.close();
      assertThat(device.liveObjects()).isEqualTo(leftOver);
    }
  }

  private static String storing(int value) {
    return ".version 7.0\n.target sm_75\n.address_size 64\n"
        + ".visible .entry store(.param .u64 p0) {\n.reg .b64 %rd<3>; .reg .b32 %r<2>;\n"
        + "ld.param.u64 %rd1, [p0];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, "
        + value
        + ";\nst.global.u32 [%rd2], %r1;\nret;\n}\n";
  }

  /** An image in a folder, which stores a number. */
  private KernelImage image(int value) throws Exception {
    gpu = DeviceRuntime.simulated(device, RuntimeOptions.defaults().withKernelFolders(folder));
    stream = gpu.streams().acquire();
    Files.writeString(folder.resolve("store.ptx"), storing(value));
    return KernelImage.resource("store.ptx", name -> null);
  }

  private LoadedModule load(int value) throws Exception {
    KernelImage image = image(value);
    return LoadedModule.of(stream, image);
  }

  private static void launch(LaunchRecorder recorder, DeviceArray<int[]> out) {
    try (LaunchRecorder open = recorder.begin()) {
      open.array(out).shape(LaunchShape.of(1, 1)).preflight().launch().commit();
    }
  }

  @Test
  void aReplacedFileIsLoadedAfterTheOldCodeWasUnloaded() throws Exception {
    KernelImage image = image(1);
    LoadedModule old = LoadedModule.of(stream, image);
    LaunchRecorder recorder = old.recorder(STORE);
    try (DeviceArray<int[]> out = gpu.memory().allocate(stream, int[].class, 1)) {
      launch(recorder, out);
      Files.writeString(folder.resolve("store.ptx"), storing(2));
      // The launch is queued, and unloading comes after it.
      old.unload();
      assertThat(out.download(stream)).containsExactly(1);
      launch(LoadedModule.of(stream, image).recorder(STORE), out);
      assertThat(out.download(stream)).containsExactly(2);
      assertThat(device.calls(DriverCall.UNLOAD_MODULE)).isEqualTo(1);
    }
  }

  @Test
  void usesOfAnUnloadedImageAreRefusedAndLeaveTheStreamUsable() throws Exception {
    KernelImage image = image(1);
    LoadedModule module = LoadedModule.of(stream, image);
    LaunchRecorder recorder = module.recorder(STORE);
    KernelOccupancy occupancy = module.occupancy("store");
    module.unload();
    module.unload();
    assertThatThrownBy(recorder::begin)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "store of store.ptx, which was unloaded; a new launcher or LoadedModule.of loads it");
    assertThatThrownBy(() -> module.recorder(STORE)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> module.occupancy("store")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> occupancy.suggestedBlockSize(0))
        .isInstanceOf(IllegalStateException.class);
    gpu.memory().upload(stream, new int[1]).close();
  }

  @Test
  void imagesThatAreUnloadedLeaveNothingBehind() throws Exception {
    image(1);
    for (int i = 0; i < 5_000; i++) {
      LoadedModule module =
          LoadedModule.of(stream, KernelImage.of("built " + i, storing(i).getBytes(US_ASCII)));
      module.recorder(STORE);
      module.unload();
    }
    assertThat(device.calls(DriverCall.UNLOAD_MODULE)).isEqualTo(5_000);
    assertThat(device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(1);
  }

  @Test
  void unloadingWaitsForALaunchThatAnotherThreadHasOpen() throws Exception {
    LoadedModule module = load(7);
    LaunchRecorder recorder = module.recorder(STORE);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    try (DeviceArray<int[]> out = gpu.memory().allocate(stream, int[].class, 1)) {
      Thread unloading = new Thread(() -> thrown.set(catchThrowable(module::unload)));
      try (LaunchRecorder open = recorder.begin()) {
        unloading.start();
        while (unloading.getState() != Thread.State.WAITING) {
          assertThat(unloading.isAlive()).isTrue();
          Thread.onSpinWait();
        }
        assertThat(device.calls(DriverCall.UNLOAD_MODULE)).isZero();
        open.array(out).shape(LaunchShape.of(1, 1)).preflight().launch().commit();
      }
      unloading.join();
      assertThat(thrown).hasValue(null);
      assertThat(out.download(stream)).containsExactly(7);
      assertThat(device.calls(DriverCall.UNLOAD_MODULE)).isEqualTo(1);
    }
  }

  @Test
  void insideALaunchItIsRefusedAndCanBeRepeated() throws Exception {
    LoadedModule module = load(1);
    try (LaunchRecorder open = module.recorder(STORE).begin()) {
      assertThat(open).isNotNull();
      assertThatThrownBy(module::unload).isInstanceOf(StreamMisuseException.class);
    }
    LaunchRecorder still = module.recorder(STORE);
    try (LaunchRecorder open = still.begin()) {
      assertThat(open).isNotNull();
    }
    assertThat(device.calls(DriverCall.UNLOAD_MODULE)).isZero();
    assertThatCode(module::unload).doesNotThrowAnyException();
    assertThat(device.calls(DriverCall.UNLOAD_MODULE)).isEqualTo(1);
  }

  @Test
  void aFailureToUnloadIsThrownOnceAndTheDriverIsNotAskedAgain() throws Exception {
    LoadedModule module = load(1);
    device.failCall(DriverCall.UNLOAD_MODULE, 1, 1);
    leftOver = 1;
    assertThatThrownBy(module::unload)
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("during unloading ");
    assertThatCode(module::unload).doesNotThrowAnyException();
    assertThat(device.calls(DriverCall.UNLOAD_MODULE)).isEqualTo(1);
  }
}
