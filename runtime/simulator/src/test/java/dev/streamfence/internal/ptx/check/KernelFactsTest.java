package dev.streamfence.internal.ptx.check;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.LaunchShape;
import dev.streamfence.internal.ptx.analysis.VariableUse;
import dev.streamfence.internal.ptx.bounds.LaunchNumbers;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.KernelSymbol;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the compiler writes into a launcher about a kernel's code, and a program reads there. */
class KernelFactsTest {
  /** Stores to elements that lie so many bytes apart. */
  private static String text(String factor) {
    return """
        .version 7.0
        .target sm_75
        .address_size 64
        .global .b32 total;
        .global .b32 limit;
        .visible .entry fill(.param .u64 values, .param .u32 n) .reqntid 32, 1, 1
        {
          .reg .b32 %r<8>;
          .reg .b64 %rd<4>;
          .reg .pred %p<2>;
          ld.param.u64 %rd1, [values];
          ld.param.u32 %r1, [n];
          mov.u32 %r2, %ctaid.x;
          mov.u32 %r3, %tid.x;
          mad.lo.s32 %r4, %r2, 32, %r3;
          setp.ge.s32 %p1, %r4, %r1;
          @%p1 bra END;
          mul.wide.s32 %rd2, %r4, FACTOR;
          add.s64 %rd3, %rd1, %rd2;
          ld.global.u32 %r5, [limit];
          st.global.u32 [%rd3], %r5;
        END:
          ret;
        }
        """
        .replace("FACTOR", factor);
  }

  private static final String PLAIN = text("4");
  private static final KernelSignature FILL =
      KernelSignature.entry("fill")
          .writes("values", int[].class)
          .value("n", int.class)
          .shape("shape");
  private static final KernelSymbol TOTAL = new KernelSymbol("total", ElementType.INT);
  private static final KernelSymbol LIMIT = new KernelSymbol("limit", ElementType.INT);

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
  }

  private static KernelSignature analysed(String text, KernelSymbol... symbols) {
    KernelCheck check = new KernelCheck(PtxModule.parse(text));
    return FILL.analysed(check.analysis(FILL, List.of(symbols)));
  }

  private static KernelImage image(String text, String seenByTheCompiler) {
    byte[] file = text.getBytes(US_ASCII);
    return KernelImage.resource(
        "fill.ptx",
        KernelImage.sha256(seenByTheCompiler.getBytes(US_ASCII)),
        name -> new ByteArrayInputStream(file));
  }

  private void launch(KernelImage image, KernelSignature signature, int length, int n) {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[length]);
        LaunchRecorder recorder = LoadedModule.of(stream, image).recorder(signature).begin()) {
      recorder.array(values).value(n).shape(LaunchShape.of((n + 31) / 32, 32));
      recorder.preflight().launch().commit();
    }
  }

  @Test
  void blockVariablesAndBoundsAreReadAsTheyWereWritten() {
    KernelFacts facts = KernelFacts.parse(analysed(PLAIN, TOTAL, LIMIT)).orElseThrow();

    assertThat(facts.requiredBlock()).isEqualTo(new BlockLimit(32, 1, 1, true));
    assertThat(facts.use("limit")).isEqualTo(new VariableUse(true, false));
    assertThat(facts.use("total").isAny()).isFalse();
    assertThat(facts.use("another")).isEqualTo(new VariableUse(true, true));
    assertThat(facts.bounds().isChecked()).isTrue();
  }

  @Test
  void aLaunchIsComparedWithWhatTheLauncherHas() {
    // The facts of another kernel, so that it shows where they come from.
    KernelSignature wide = analysed(text("8"));

    assertThatThrownBy(() -> launch(image(PLAIN, PLAIN), wide, 100, 64))
        .isInstanceOf(KernelArgumentException.class)
        .hasMessageStartingWith(
            "fill: parameter 'values' has 100 elements; the kernel writes element 126 (n = 64), line");
    launch(image(PLAIN, PLAIN), wide, 127, 64);
  }

  @Test
  void codeThatTheCompilerHasNotSeenIsAnalysedItself() {
    KernelSignature wide = analysed(text("8"));
    KernelImage other = image(PLAIN, "another file");

    launch(other, wide, 64, 64);
    assertThatThrownBy(() -> launch(other, wide, 63, 64))
        .hasMessageContaining("has 63 elements; the kernel writes element 63 (n = 64)");
  }

  @Test
  void aLaunchOfAnotherShapeIsRefusedByWhatTheLauncherHas() {
    KernelSignature signature = analysed(PLAIN);
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[64]);
        LaunchRecorder recorder =
            LoadedModule.of(stream, image(PLAIN, PLAIN)).recorder(signature).begin()) {
      recorder.array(values).value(64).shape(LaunchShape.of(1, 64));
      assertThatThrownBy(recorder::preflight).hasMessageContaining("allows exactly 32 x 1 x 1");
    }
  }

  @Test
  void aLaunchThatRequiresAProofNeedsTheCodeItself() {
    KernelCheck check = new KernelCheck(PtxModule.parse(PLAIN));

    assertThat(check.analysis(FILL.boundsRequired(), List.of())).isEmpty();
    assertThat(check.analysis(FILL, List.of())).isNotEmpty();
  }

  @Test
  void anyStepAfterTheAnalysisDropsIt() {
    KernelSignature analysed = analysed(PLAIN);

    assertThat(analysed).isEqualTo(FILL).hasSameHashCodeAs(FILL);
    assertThat(analysed.analysis()).isNotEmpty();
    assertThat(analysed.mayAlias().analysis()).isEmpty();
    assertThat(analysed.value("more", int.class).analysis()).isEmpty();
  }

  @Test
  void damagedTextIsIgnored() {
    String whole = analysed(PLAIN, LIMIT).analysis();
    byte[] bytes = Base64.getDecoder().decode(whole);
    Random random = new Random(1);
    for (int length = 0; length < bytes.length; length++) {
      assertIgnored(Base64.getEncoder().encodeToString(Arrays.copyOf(bytes, length)));
    }
    assertIgnored(whole.substring(0, whole.length() - 1) + "!");
    assertIgnored(Base64.getEncoder().encodeToString(Arrays.copyOf(bytes, bytes.length + 1)));
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = bytes.clone();
      for (int k = random.nextInt(3); k >= 0; k--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      // Whatever is read, it can be evaluated.
      KernelFacts.parse(FILL.analysed(Base64.getEncoder().encodeToString(damaged)))
          .ifPresent(facts -> facts.bounds().evaluator().reach(0, new Launch()));
    }
  }

  private static final class Launch implements LaunchNumbers {
    @Override
    public long argument(int argument) {
      return 64;
    }

    @Override
    public int block(int dimension) {
      return 32;
    }

    @Override
    public int grid(int dimension) {
      return 2;
    }
  }

  private static void assertIgnored(String text) {
    assertThat(KernelFacts.parse(FILL.analysed(text))).isEmpty();
  }
}
