package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.launch.DeviceValues;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import org.jspecify.annotations.Nullable;

/** Kernels with arrays that may be absent, launched as generated code would. Thread-safe. */
public final class OptionalKernels {
  /**
   * Both do {@code out[0] = mask == 0 ? values[0] : mask[0]}; {@code packed} takes the two arrays
   * in a structure with a number behind them. {@code careless} reads the mask without a look.
   */
  static final KernelImage IMAGE =
      KernelImage.of(
          "optional.ptx",
          """
          .version 7.0
          .target sm_75
          .address_size 64
          .visible .entry pick(.param .u64 values, .param .u64 mask, .param .u64 out, .param .u32 n)
          {
            .reg .pred %p<2>;
            .reg .b32 %r<2>;
            .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [values];
            ld.param.u64 %rd2, [mask];
            ld.param.u64 %rd3, [out];
            setp.eq.s64 %p1, %rd2, 0;
            @%p1 bra ABSENT;
            ld.global.u32 %r1, [%rd2];
            bra.uni STORE;
          ABSENT:
            ld.global.u32 %r1, [%rd1];
          STORE:
            st.global.u32 [%rd3], %r1;
            ret;
          }
          .visible .entry packed(.param .align 8 .b8 column[24], .param .u64 out, .param .u32 n)
          {
            .reg .pred %p<2>;
            .reg .b32 %r<4>;
            .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [column];
            ld.param.u64 %rd2, [column+8];
            ld.param.u32 %r2, [column+16];
            ld.param.u64 %rd3, [out];
            setp.eq.s64 %p1, %rd2, 0;
            @%p1 bra ABSENT;
            ld.global.u32 %r1, [%rd2];
            bra.uni STORE;
          ABSENT:
            ld.global.u32 %r1, [%rd1];
          STORE:
            add.s32 %r3, %r1, %r2;
            st.global.u32 [%rd3], %r3;
            ret;
          }
          .visible .entry careless(.param .u64 mask, .param .u64 out, .param .u32 n)
          {
            .reg .b32 %r<2>;
            .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [mask];
            ld.param.u64 %rd2, [out];
            ld.global.u32 %r1, [%rd1];
            st.global.u32 [%rd2], %r1;
            ret;
          }
          """
              .getBytes(US_ASCII));

  static final KernelSignature PICK =
      KernelSignature.entry("pick")
          .reads("values", int[].class)
          .reads("mask", int[].class)
          .optional()
          .writes("out", int[].class)
          .threads("n", int.class, 32);

  static final KernelSignature PACKED =
      KernelSignature.entry("packed")
          .struct(
              KernelSignature.fields("column")
                  .reads("values", int[].class)
                  .reads("mask", int[].class)
                  .optional()
                  .value("bias", int.class))
          .writes("out", int[].class)
          .threads("n", int.class, 32);

  static final KernelSignature CARELESS =
      KernelSignature.entry("careless")
          .reads("mask", int[].class)
          .optional()
          .writes("out", int[].class)
          .threads("n", int.class, 32);

  private final LaunchRecorder pick;
  private final LaunchRecorder packed;
  private final LaunchRecorder careless;

  private OptionalKernels(DeviceStream stream) {
    LoadedModule module = LoadedModule.of(stream, IMAGE);
    pick = module.recorder(PICK);
    packed = module.recorder(PACKED);
    careless = module.recorder(CARELESS);
  }

  public static OptionalKernels on(DeviceStream stream) {
    return new OptionalKernels(stream);
  }

  public void pick(
      @Nullable DeviceValues values, @Nullable DeviceValues mask, @Nullable DeviceValues out) {
    try (LaunchRecorder recorder = pick.begin()) {
      recorder.array(values).array(mask).array(out).threads(1).preflight().launch().commit();
    }
  }

  public void packed(
      @Nullable ReadableArray<int[]> values,
      @Nullable ReadableArray<int[]> mask,
      int bias,
      ReadableArray<int[]> out) {
    try (LaunchRecorder recorder = packed.begin()) {
      recorder.struct(this).array(values).array(mask).value(bias);
      recorder.array(out).threads(1).preflight().launch().commit();
    }
  }

  void careless(@Nullable ReadableArray<int[]> mask, ReadableArray<int[]> out) {
    try (LaunchRecorder recorder = careless.begin()) {
      recorder.array(mask).array(out).threads(1).preflight().launch().commit();
    }
  }
}
