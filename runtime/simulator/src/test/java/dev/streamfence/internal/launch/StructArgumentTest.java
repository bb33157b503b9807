package dev.streamfence.internal.launch;

import static dev.streamfence.internal.launch.Refusals.assertRefused;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.KernelLoadException;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
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
          .visible .entry each(
            .param .align 8 .b8 all[40],
            .param .u64 out
          )
          {
            .reg .b64 %rd<10>;
            ld.param.u64 %rd1, [out];
            cvta.to.global.u64 %rd2, %rd1;
            ld.param.s8 %rd3, [all];
            st.global.u64 [%rd2], %rd3;
            ld.param.u8 %rd3, [all+1];
            st.global.u64 [%rd2+8], %rd3;
            ld.param.s8 %rd3, [all+2];
            st.global.u64 [%rd2+16], %rd3;
            ld.param.u16 %rd3, [all+4];
            st.global.u64 [%rd2+24], %rd3;
            ld.param.s16 %rd3, [all+6];
            st.global.u64 [%rd2+32], %rd3;
            ld.param.s32 %rd3, [all+8];
            st.global.u64 [%rd2+40], %rd3;
            ld.param.u32 %rd3, [all+12];
            st.global.u64 [%rd2+48], %rd3;
            ld.param.u64 %rd3, [all+16];
            st.global.u64 [%rd2+56], %rd3;
            ld.param.u64 %rd3, [all+24];
            st.global.u64 [%rd2+64], %rd3;
            ld.param.u8 %rd3, [all+32];
            st.global.u64 [%rd2+72], %rd3;
            ret;
          }
          """
              .getBytes(US_ASCII));

  private static final KernelSignature SPREAD =
      KernelSignature.entry("spread")
          .struct(
              KernelSignature.fields("mixed")
                  .value("small", byte.class)
                  .value("number", int.class)
                  .value("wide", double.class))
          .writes("out", long[].class)
          .shape("shape");

  /** Fields of each primitive type; the first is one more, so that none of them lies at 0. */
  private static final KernelSignature EACH =
      KernelSignature.entry("each")
          .struct(
              "all",
              byte.class,
              boolean.class,
              byte.class,
              char.class,
              short.class,
              int.class,
              float.class,
              long.class,
              double.class,
              boolean.class)
          .writes("out", long[].class)
          .shape("shape");

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
      assertRefused(
          () -> recorder.array(out), KernelArgumentException.Mistake.UNEXPECTED, "spread", "mixed");
      assertRefused(
          () -> recorder.untracked(16),
          KernelArgumentException.Mistake.UNEXPECTED,
          "spread",
          "mixed");
    }
  }

  @Test
  void everyFieldReachesTheKernel() {
    Mixed mixed = new Mixed((byte) -3, 1 << 20, -2.5);
    try (LaunchRecorder recorder = recorder().begin()) {
      recorder
          .struct(mixed)
          .value(mixed.small())
          .value(mixed.number())
          .value(mixed.wide())
          .array(out)
          .shape(LaunchShape.of(1, 1))
          .preflight()
          .launch()
          .commit();
    }
    assertThat(out.download(stream)).containsExactly(-3, 1 << 20, Double.doubleToLongBits(-2.5));
  }

  @Test
  void aFieldOfEachPrimitiveTypeReachesTheKernelAtItsOffset() {
    try (DeviceArray<long[]> fields = gpu.memory().allocate(stream, long[].class, 10)) {
      try (LaunchRecorder recorder = LoadedModule.of(stream, IMAGE).recorder(EACH).begin()) {
        recorder
            .struct(this)
            .value((byte) 5)
            .value(true)
            .value((byte) -3)
            .value('\uffff')
            .value(Short.MIN_VALUE)
            .value(Integer.MIN_VALUE)
            .value(1.5f)
            .value(Long.MIN_VALUE)
            .value(-2.25)
            .value(false)
            .array(fields)
            .shape(LaunchShape.of(1, 1))
            .preflight()
            .launch()
            .commit();
      }
      assertThat(fields.download(stream))
          .containsExactly(
              5,
              1,
              -3,
              0xffff,
              Short.MIN_VALUE,
              Integer.MIN_VALUE,
              Float.floatToRawIntBits(1.5f),
              Long.MIN_VALUE,
              Double.doubleToRawLongBits(-2.25),
              0);
    }
  }

  @Test
  void fieldsThatWerePassedToOneLaunchDoNotCountForTheNext() {
    LaunchRecorder spread = recorder();
    try (LaunchRecorder recorder = spread.begin()) {
      recorder.struct(this).value((byte) 1).value(1);
    }
    try (LaunchRecorder recorder = spread.begin()) {
      assertRefused(
          () -> recorder.value(1d), KernelArgumentException.Mistake.UNEXPECTED, "spread", "mixed");
      assertRefused(
          recorder::preflight, KernelArgumentException.Mistake.MISSING, "spread", "mixed");
    }
  }

  @Test
  void aNullStructureNamesKernelAndParameter() {
    try (LaunchRecorder recorder = recorder().begin()) {
      assertRefused(
          () -> recorder.struct(null), KernelArgumentException.Mistake.NULL, "spread", "mixed");
    }
  }

  @Test
  void aMissingFieldIsRefused() {
    try (LaunchRecorder recorder = recorder().begin()) {
      recorder.struct(this).value((byte) 1);
      assertRefused(
          () -> recorder.array(out),
          KernelArgumentException.Mistake.UNEXPECTED,
          "spread",
          "mixed.number");
      assertRefused(
          recorder::preflight, KernelArgumentException.Mistake.MISSING, "spread", "mixed.number");
    }
  }

  @Test
  void aStructureIsBegunOnlyOnce() {
    try (LaunchRecorder recorder = recorder().begin()) {
      recorder.struct(this);
      assertRefused(
          () -> recorder.struct(this),
          KernelArgumentException.Mistake.UNEXPECTED,
          "spread",
          "mixed.small");
      recorder.value((byte) 1).value(1).value(1d);
      assertRefused(
          () -> recorder.struct(this), KernelArgumentException.Mistake.UNEXPECTED, "spread", "out");
    }
  }

  @Test
  void fieldsOfTheWrongKindAreRefused() {
    try (LaunchRecorder recorder = recorder().begin()) {
      assertRefused(
          () -> recorder.value(1), KernelArgumentException.Mistake.UNEXPECTED, "spread", "mixed");
      recorder.struct(this);
      assertRefused(
          () -> recorder.value(1),
          KernelArgumentException.Mistake.UNEXPECTED,
          "spread",
          "mixed.small");
      recorder.value((byte) 1).value(1).value(1d);
      assertRefused(
          () -> recorder.value(1), KernelArgumentException.Mistake.UNEXPECTED, "spread", "out");
    }
  }

  @Test
  void aStructureOfAnotherSizeIsRefusedWithBothSizes() {
    KernelSignature small =
        KernelSignature.entry("spread")
            .struct("mixed", byte.class, int.class)
            .writes("out", long[].class)
            .shape("shape");
    assertThatThrownBy(() -> LoadedModule.of(stream, IMAGE).recorder(small))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining(
            "parameter 'mixed' of spread has 8 bytes; parameter 1 of the kernel has 16");
  }
}
