package dev.streamfence.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.Access;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.KernelLoadException;
import dev.streamfence.LaunchShape;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Structures by value. */
final class StructArgumentTest {
  /** Writes the fields of {@code struct { byte small; int number; double wide; }} to longs. */
  private static final KernelImage IMAGE =
      KernelImage.of(
          "struct.ptx",
          """
          .version 7.0
          .target sm_75
          .address_size 64
          .visible .entry spread(
            .param .align 8 .b8 mixed[16],
            .param .u64 out
          )
          {
            .reg .b64 %rd<8>;
            .reg .f64 %fd<2>;
            ld.param.u64 %rd1, [out];
            cvta.to.global.u64 %rd2, %rd1;
            ld.param.s8 %rd3, [mixed];
            st.global.u64 [%rd2], %rd3;
            ld.param.s32 %rd4, [mixed+4];
            st.global.u64 [%rd2+8], %rd4;
            ld.param.f64 %fd1, [mixed+8];
            st.global.f64 [%rd2+16], %fd1;
            ret;
          }
          """
              .getBytes(US_ASCII));

  private static final KernelSignature SPREAD =
      KernelSignature.entry("spread")
          .struct("mixed", byte.class, int.class, double.class)
          .buffer("out", ElementType.LONG, Access.WRITE)
          .launchShape("shape")
          .build();

  private record Mixed(byte small, int number, double wide) {}

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceArray<long[]> out = gpu.memory().allocate(stream, long[].class, 3);

  @AfterEach
  void close() {
    out.close();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private LaunchRecorder recorder() {
    return LoadedModule.of(stream, IMAGE).recorder(SPREAD);
  }

  @Test
  void anArrayIsNoStructure() {
    LoadedModule module = LoadedModule.of(stream, IMAGE);
    try (LaunchRecorder recorder = module.permissiveRecorder(SPREAD).begin()) {
      assertThatThrownBy(() -> recorder.writes(0, out))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("spread: parameter 'mixed' is a structure, not an array");
      assertThatThrownBy(() -> recorder.untracked(0, 16))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("spread: parameter 'mixed' is a structure, not an array");
    }
  }

  @Test
  void everyFieldReachesTheKernel() {
    Mixed mixed = new Mixed((byte) -3, 1 << 20, -2.5);
    try (LaunchRecorder recorder = recorder().begin()) {
      recorder.struct(0, mixed);
      recorder.field(0, 0, mixed.small());
      recorder.field(0, 1, mixed.number());
      recorder.field(0, 2, mixed.wide());
      recorder.writes(1, out);
      recorder.shape(LaunchShape.of(1, 1));
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
    assertThat(out.download(stream)).containsExactly(-3, 1 << 20, Double.doubleToLongBits(-2.5));
  }

  @Test
  void aNullStructureNamesKernelAndParameter() {
    try (LaunchRecorder recorder = recorder().begin()) {
      assertThatThrownBy(() -> recorder.struct(0, null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("spread: parameter 'mixed' is null");
    }
  }

  @Test
  void aMissingFieldIsRefused() {
    try (LaunchRecorder recorder = recorder().begin()) {
      recorder.struct(0, this);
      recorder.field(0, 0, (byte) 1);
      recorder.field(0, 0, (byte) 1);
      recorder.field(0, 2, 1d);
      recorder.writes(1, out);
      recorder.shape(LaunchShape.of(1, 1));
      assertThatThrownBy(recorder::preflight)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'mixed' was not passed");
    }
  }

  @Test
  void aStructureThatIsBegunAgainHasNoFieldsYet() {
    try (LaunchRecorder recorder = recorder().begin()) {
      recorder.struct(0, this);
      recorder.field(0, 0, (byte) 1);
      recorder.field(0, 1, 1);
      recorder.field(0, 2, 1d);
      recorder.struct(0, this);
      recorder.writes(1, out);
      recorder.shape(LaunchShape.of(1, 1));
      assertThatThrownBy(recorder::preflight).hasMessageContaining("'mixed' was not passed");
    }
  }

  @Test
  void fieldsOfTheWrongKindAreRefused() {
    try (LaunchRecorder recorder = recorder().begin()) {
      assertThatThrownBy(() -> recorder.field(0, 0, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'mixed': field 0 is a int; the signature says byte");
      assertThatThrownBy(() -> recorder.field(0, 3, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no field number 3; it has 3");
      assertThatThrownBy(() -> recorder.field(1, 0, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'out' is no structure");
      assertThatThrownBy(() -> recorder.value(0, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'mixed' is no number");
    }
  }

  @Test
  void aStructureOfAnotherSizeIsRefusedWithBothSizes() {
    KernelSignature small =
        KernelSignature.entry("spread")
            .struct("mixed", byte.class, int.class)
            .buffer("out", ElementType.LONG, Access.WRITE)
            .launchShape("shape")
            .build();
    assertThatThrownBy(() -> LoadedModule.of(stream, IMAGE).recorder(small))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining(
            "spread: parameter 'mixed' (number 1) has 8 bytes; the kernel takes 16");
  }
}
