package dev.streamfence.internal.ptx.check;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.internal.ptx.analysis.VariableUse;
import dev.streamfence.internal.ptx.bounds.BoundsEvaluator;
import dev.streamfence.internal.ptx.bounds.LaunchBounds;
import dev.streamfence.internal.ptx.bounds.LaunchNumbers;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.KernelSymbol;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
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
  private static final String EARLIER =
      "BgJAAgIECmxpbWl0AgAKdG90YWwAAAICAAgCEAhCQVNFEEFSR1VNRU5UDlNQRUNJQUwQQ09OU1RB"
          + "TlQQTVVMVElQTFkGQUREFlNJR05fRVhURU5EGkxFU1NfT1JfRVFVQUwCHExBU1RfT0ZfR1VBUkRT"
          + "HgB+AAAIAj4AAAAEPgYAAAQ+AAAABj5AAAAIPgAEBAgACj4ABAoGAAx+AAIMAAx+AAICAA4AAAQQ"
          + "DgAGfggAAAh+AAQOFAAKfgAEABYIBn4AAAAKfgAEGBoIAAICAAQCAgIBAAJAAAICAAACAioAAgIA"
          + "CAISAAAcAAIA";

  /** A loop over the grid, a choice and a division decide where it stores. */
  private static final String SUMS =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry sums(.param .u64 values, .param .u32 n, .param .u32 width)
      {
        .reg .b32 %r<16>;
        .reg .b64 %rd<4>;
        .reg .pred %p<4>;
        ld.param.u64 %rd1, [values];
        ld.param.u32 %r1, [n];
        ld.param.u32 %r2, [width];
        mov.u32 %r3, %ctaid.x;
        mov.u32 %r4, %ntid.x;
        mov.u32 %r5, %tid.x;
        mad.lo.s32 %r6, %r3, %r4, %r5;
        mov.u32 %r7, %nctaid.x;
        mul.lo.s32 %r8, %r7, %r4;
        setp.ge.s32 %p1, %r6, %r1;
        @%p1 bra END;
      LOOP:
        div.u32 %r9, %r6, %r2;
        setp.lt.s32 %p2, %r6, 40;
        selp.b32 %r10, %r6, %r9, %p2;
        mul.wide.s32 %rd2, %r10, 4;
        add.s64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r6;
        add.s32 %r6, %r6, %r8;
        setp.lt.s32 %p3, %r6, %r1;
        @%p3 bra LOOP;
      END:
        ret;
      }
      """;

  private static final KernelSignature FILL =
      KernelSignature.entry("fill")
          .writes("values", int[].class)
          .value("n", int.class)
          .shape("shape");
  private static final KernelSymbol TOTAL = new KernelSymbol("total", ElementType.INT);
  private static final KernelSymbol LIMIT = new KernelSymbol("limit", ElementType.INT);

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
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
    // The code takes 32 threads, and the facts of the other code 64.
    KernelSignature other = analysed(PLAIN.replace(".reqntid 32", ".reqntid 64"));
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[64]);
        LaunchRecorder recorder =
            LoadedModule.of(stream, image(PLAIN, PLAIN)).recorder(other).begin()) {
      recorder.array(values).value(64).shape(LaunchShape.of(2, 32));
      assertThatThrownBy(recorder::preflight).hasMessageContaining("allows exactly 64 x 1 x 1");
    }
  }

  @Test
  void aLaunchUsesTheVariablesThatTheLauncherSays() {
    KernelImage image = image(PLAIN, PLAIN).symbol("limit", int[].class);
    // The code reads the variable, and the facts of the other code do not.
    String unread = PLAIN.replace("ld.global.u32 %r5, [limit];", "mov.u32 %r5, 7;");
    assertThat(waitsOf(image, analysed(PLAIN, LIMIT))).isEqualTo(1);
    assertThat(waitsOf(image, analysed(unread, LIMIT))).isZero();
  }

  /** How many waits a launch takes after a write of the variable on another stream. */
  private long waitsOf(KernelImage image, KernelSignature signature) {
    LoadedModule module = LoadedModule.of(stream, image);
    try (DeviceStream other = gpu.streams().acquire();
        DeviceArray<int[]> values = gpu.memory().upload(stream, new int[64])) {
      module.symbol("limit", int[].class).fill(other, 7);
      long before = device.calls(DriverCall.WAIT_FOR_EVENT);
      try (LaunchRecorder recorder = module.recorder(signature).begin()) {
        recorder.array(values).value(64).shape(LaunchShape.of(2, 32)).preflight();
      }
      return device.calls(DriverCall.WAIT_FOR_EVENT) - before;
    } finally {
      module.unload();
    }
  }

  @Test
  void aTextThatWasWrittenEarlierMeansTheSame() {
    // If this fails, what is written has another meaning: KernelFacts needs another version.
    KernelSignature written = FILL.analysed(EARLIER);
    assertThat(analysed(PLAIN, TOTAL, LIMIT).analysis()).isEqualTo(EARLIER);

    KernelFacts facts = KernelFacts.parse(written).orElseThrow();

    BoundsEvaluator evaluator = facts.bounds().evaluator();
    assertThat(evaluator.reach(0, new Launch())).isTrue();
    assertThat(evaluator.reachedEnd()).isEqualTo(64 * 4);
  }

  @Test
  void aTextOfAnotherVersionIsIgnored() {
    byte[] bytes = Base64.getDecoder().decode(EARLIER);
    bytes[0] = 2;
    String earlierVersion = Base64.getEncoder().encodeToString(bytes);

    assertThat(KernelFacts.parse(FILL.analysed(EARLIER))).isPresent();
    assertThat(KernelFacts.parse(FILL.analysed(earlierVersion))).isEmpty();
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
    for (int length = 0; length < bytes.length; length++) {
      assertIgnored(Base64.getEncoder().encodeToString(Arrays.copyOf(bytes, length)));
    }
    assertIgnored(whole.substring(0, whole.length() - 1) + "!");
    assertIgnored(Base64.getEncoder().encodeToString(Arrays.copyOf(bytes, bytes.length + 1)));
    tryDamaged(FILL, bytes, new int[128]);
  }

  @Test
  void damagedTextOfLoopsChoicesAndDivisionsIsRefusedOrLaunched() {
    KernelSignature sums =
        KernelSignature.entry("sums")
            .writes("values", int[].class)
            .value("n", int.class)
            .value("width", int.class)
            .shape("shape");
    KernelCheck check = new KernelCheck(PtxModule.parse(SUMS));
    byte[] bytes = Base64.getDecoder().decode(check.analysis(sums, List.of()));
    assertThat(KernelFacts.parse(sums.analysed(Base64.getEncoder().encodeToString(bytes))))
        .hasValueSatisfying(facts -> assertThat(facts.bounds().isChecked()).isTrue());
    tryDamaged(sums, bytes, new int[1 << 12]);
  }

  /** Whatever is read of damaged text, a launch is made with it or refused. */
  private void tryDamaged(KernelSignature declared, byte[] bytes, int[] content) {
    Random random = new Random(1);
    String code = declared.entry().equals("sums") ? SUMS : PLAIN;
    int read = 0;
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, content)) {
      for (int i = 0; i < 20_000; i++) {
        byte[] damaged = bytes.clone();
        for (int k = random.nextInt(3); k >= 0; k--) {
          damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
        }
        KernelSignature signature = declared.analysed(Base64.getEncoder().encodeToString(damaged));
        Optional<LaunchBounds> bounds = bounds(signature);
        bounds.ifPresent(each -> each.evaluator().reach(0, new Launch()));
        if (bounds.isPresent() && read++ % 50 == 0) {
          // An image each: a signature that says the same shares what an image keeps for it.
          LoadedModule module = LoadedModule.of(stream, image(code, code));
          try (LaunchRecorder recorder = module.recorder(signature).begin()) {
            recorder.array(values).value(64);
            if (declared != FILL) {
              recorder.value(8);
            }
            recorder.shape(LaunchShape.of(2, 32)).preflight();
          } catch (KernelArgumentException refused) {
            assertThat(refused).hasMessageStartingWith(declared.entry() + ": ");
          }
          module.unload();
        }
      }
    }
    assertThat(read).isPositive();
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
    assertThat(bounds(FILL.analysed(text))).isEmpty();
  }

  private static Optional<LaunchBounds> bounds(KernelSignature signature) {
    try {
      return KernelFacts.parse(signature).map(KernelFacts::bounds);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  @Test
  void theCodeSaysWhatDamagedBoundsDoNot() {
    byte[] bytes = Base64.getDecoder().decode(analysed(text("8")).analysis());
    byte[] shorter = Arrays.copyOf(bytes, bytes.length - 1);
    KernelSignature damaged = FILL.analysed(Base64.getEncoder().encodeToString(shorter));
    assertThat(KernelFacts.parse(damaged)).isPresent();

    launch(image(PLAIN, PLAIN), damaged, 64, 64);
    assertThatThrownBy(() -> launch(image(PLAIN, PLAIN), damaged, 63, 64))
        .hasMessageContaining("has 63 elements; the kernel writes element 63 (n = 64)");
  }
}
