package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.Access;
import dev.streamfence.launch.ElementLimit;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.launch.PlacedParameter;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The parts of a signature, and the defaults of those left out. */
final class KernelSignatureTest {
  @Test
  void aKernelThatMayAliasReadsAndWritesOneArrayThroughTwoParameters() {
    KernelSignature aliased =
        KernelSignature.entry("saxpy")
            .value("a", float.class)
            .reads("x", float[].class)
            .readWrites("y", float[].class)
            .threads("n", int.class, 256)
            .mayAlias();
    try (DeviceRuntime gpu = DeviceRuntime.simulated()) {
      DeviceStream stream = gpu.streams().acquire();
      LaunchRecorder saxpy = LoadedModule.of(stream, VectorKernels.IMAGE).recorder(aliased);
      try (DeviceArray<float[]> both = gpu.memory().upload(stream, new float[] {1, 2, 3})) {
        try (LaunchRecorder recorder = saxpy.begin()) {
          recorder.value(2f).array(both).array(both).threads(3).preflight().launch().commit();
        }
        assertThat(both.download(stream)).containsExactly(3, 6, 9);
      }
    }
  }

  @Test
  void dynamicSharedMemoryIsAtLeastZero() {
    KernelSignature k = KernelSignature.entry("k");
    assertThat(k.dynamicSharedBytes(0).dynamicSharedBytes()).isZero();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> k.dynamicSharedBytes(-1))
        .withMessage("k: -1 bytes of dynamic shared memory; the size is at least 0");
  }

  @Test
  void parametersThatTheKernelDoesNotReceiveHaveTheirNameOrADefaultOne() {
    KernelSignature named = KernelSignature.entry("k").shape("grid").dynamicSharedBytes("tile");
    assertThat(named.parameters())
        .extracting(KernelParameter::name)
        .containsExactly("grid", "tile");
    KernelSignature unnamed = KernelSignature.entry("k").shape("").dynamicSharedBytes(" ");
    assertThat(unnamed.parameters())
        .extracting(KernelParameter::name)
        .containsExactly("shape", "dynamicSharedBytes");
  }

  @Test
  void eachStepReturnsASignatureOfItsOwn() {
    KernelSignature none = KernelSignature.entry("k");
    KernelSignature one = none.reads("x", int[].class);
    KernelSignature trusted = one.trusted();
    KernelSignature two = one.threads("n", int.class, 64);
    assertThat(none.parameters()).isEmpty();
    assertThat(one.parameters())
        .containsExactly(
            new KernelParameter.Array(
                "x", ElementType.INT, Access.READ, false, false, false, false, List.of(), 0));
    assertThat(trusted.parameters())
        .containsExactly(
            new KernelParameter.Array(
                "x", ElementType.INT, Access.READ, true, false, false, false, List.of(), 0));
    assertThat(two.parameters()).hasSize(2);
    assertThat(one.blockSize()).isZero();
    assertThat(two.blockSize()).isEqualTo(64);
    assertThat(one.threads("n", int.class).blockSize()).isZero();
    assertThat(one.mayAlias().allowsAliases()).isTrue();
    assertThat(one.cooperative().isCooperative()).isTrue();
    assertThat(one.allowsAliases() || one.isCooperative()).isFalse();
  }

  @Test
  void onlyWholeNumbersThatAreOnlyReadAreDistinct() {
    KernelSignature k = KernelSignature.entry("k");
    assertThat(k.reads("x", long[].class).optional().distinct().trusted().parameters())
        .containsExactly(
            new KernelParameter.Array(
                "x", ElementType.LONG, Access.READ, true, true, true, false, List.of(), 0));
    for (KernelSignature signature :
        List.of(k, k.value("a", int.class), k.reads("t", int[][].class))) {
      assertThatIllegalArgumentException()
          .isThrownBy(signature::distinct)
          .withMessage("k: distinct() follows no array");
    }
    for (KernelSignature signature :
        List.of(
            k.reads("x", float[].class),
            k.reads("x", char[].class),
            k.readWrites("x", int[].class))) {
      assertThatIllegalArgumentException()
          .isThrownBy(signature::distinct)
          .withMessage(
              "x: only an array of whole numbers that a kernel only reads can be distinct");
    }
  }

  @Test
  void numbersInAnArrayHaveTheLimitsThatAreDeclared() {
    KernelSignature k = KernelSignature.entry("k");
    KernelSignature limited =
        k.reads("x", long[].class)
            .below("x")
            .optional()
            .atMost("n")
            .least(-1)
            .trusted()
            .distinct()
            .peer();
    assertThat(limited.parameters())
        .containsExactly(
            new KernelParameter.Array(
                "x",
                ElementType.LONG,
                Access.READ,
                true,
                true,
                true,
                true,
                List.of(new ElementLimit("x", true), new ElementLimit("n", false)),
                -1));
    assertThat(limited).isNotEqualTo(k.reads("x", long[].class).optional().trusted().distinct());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> k.value("n", int.class).below("n"))
        .withMessage("k: below(..) follows no array");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> k.reads("all", int[][].class).atMost("n"))
        .withMessage("k: atMost(..) follows no array");
    for (KernelSignature signature :
        List.of(k, k.reads("x", int[].class), limited.value("n", int.class))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> signature.least(-1))
          .withMessage("k: least(..) follows no limit; declare one with below(..) or atMost(..)");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new KernelParameter.Array(
                    "x", ElementType.INT, Access.READ, false, false, false, false, List.of(), -1))
        .withMessage("x: the least element is -1, but no limit is declared; declare one");
    for (KernelSignature signature :
        List.of(k.reads("x", float[].class), k.writes("x", int[].class))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> signature.below("x"))
          .withMessage("x: only an array of whole numbers that a kernel only reads can be limited");
    }
  }

  @Test
  void aLimitIsTheLengthOfAnArrayOrAWholeNumber() {
    KernelSignature k =
        KernelSignature.entry("k")
            .value("f", float.class)
            .value("s", short.class)
            .reads("all", int[][].class)
            .struct(
                KernelSignature.fields("rows")
                    .reads("ends", int[].class)
                    .atMost("values")
                    .reads("values", float[].class))
            .threads("n", long.class, 32)
            .dynamicSharedBytes("bytes");
    for (String limit : List.of("s", "n", "x", "rows.ends", "rows.values")) {
      KernelSignature limited = k.reads("x", int[].class).below(limit);
      limited.requireComplete();
      PlacedParameter x = limited.placed().get(limited.placed().size() - 1);
      assertThat(limited.limiting(x, new ElementLimit(limit, true)).orElseThrow().name())
          .isEqualTo(limit);
    }
    for (String limit : List.of("f", "all", "rows", "bytes", "ends", "other", "")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> k.reads("x", int[].class).atMost(limit).requireComplete())
          .withMessage(
              "k: parameter 'x' has numbers at most '"
                  + limit
                  + "', which is neither an array nor a whole number of the kernel; name one of"
                  + " 's', 'rows.ends', 'rows.values', 'n', 'x'");
    }
  }

  @Test
  void aFieldOfAStructureComesBeforeAParameterOfTheSameName() {
    KernelSignature k =
        KernelSignature.entry("k")
            .reads("values", int[].class)
            .struct(
                KernelSignature.fields("rows")
                    .reads("ends", int[].class)
                    .atMost("values")
                    .below("n")
                    .reads("values", float[].class))
            .threads("n", int.class, 32);
    PlacedParameter ends = k.placed().get(2);
    assertThat(ends.name()).isEqualTo("rows.ends");
    assertThat(k.limiting(ends, new ElementLimit("values", false)).orElseThrow().name())
        .isEqualTo("rows.values");
    assertThat(k.limiting(ends, new ElementLimit("n", true)).orElseThrow().name()).isEqualTo("n");
  }

  @Test
  void arraysAndTablesMayBeOfAnotherDevice() {
    KernelSignature k = KernelSignature.entry("k");
    assertThat(
            k.reads("x", int[].class)
                .peer()
                .trusted()
                .optional()
                .distinct()
                .writes("all", int[][].class)
                .peer()
                .trusted()
                .parameters())
        .containsExactly(
            new KernelParameter.Array(
                "x", ElementType.INT, Access.READ, true, true, true, true, List.of(), 0),
            new KernelParameter.Table("all", ElementType.INT, Access.WRITE, true, true));
    for (KernelSignature signature : List.of(k, k.value("a", int.class))) {
      assertThatIllegalArgumentException()
          .isThrownBy(signature::peer)
          .withMessage("k: peer() follows no array");
    }
  }

  @Test
  void onlyAnArrayIsOptional() {
    KernelSignature k = KernelSignature.entry("k");
    assertThat(k.value("a", int.class).writes("x", int[].class).trusted().optional().parameters())
        .contains(
            new KernelParameter.Array(
                "x", ElementType.INT, Access.WRITE, true, true, false, false, List.of(), 0));
    assertThat(k.reads("x", int[].class).optional().trusted().parameters())
        .containsExactly(
            new KernelParameter.Array(
                "x", ElementType.INT, Access.READ, true, true, false, false, List.of(), 0));
    KernelSignature table = k.reads("x", int[].class).reads("all", int[][].class);
    for (KernelSignature signature : List.of(k, k.value("a", int.class), table)) {
      assertThatIllegalArgumentException()
          .isThrownBy(signature::optional)
          .withMessage("k: optional() follows no array");
    }
  }

  @Test
  void onlyAnArrayIsTrusted() {
    KernelSignature empty = KernelSignature.entry("k");
    KernelSignature number = empty.reads("x", int[].class).value("a", int.class);
    for (KernelSignature signature : List.of(empty, number)) {
      assertThatIllegalArgumentException()
          .isThrownBy(signature::trusted)
          .withMessage("k: trusted() follows no array");
    }
  }

  @Test
  void threadsAreCountedAsIntOrLongInBlocksOfAtLeastOne() {
    KernelSignature k = KernelSignature.entry("k");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> k.threads("n", short.class, 256))
        .withMessage("k: parameter 'n' counts threads as short; use an int or a long");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> k.threads("n", long.class, 0))
        .withMessage("k: parameter 'n' has a block of 0 threads; it has at least 1");
    assertThat(k.threads("n", long.class, 1).blockSize()).isEqualTo(1);
  }

  @Test
  void aTypeThatNoParameterHasIsRefusedWithKernelAndParameter() {
    KernelSignature k = KernelSignature.entry("k");
    for (Class<?> type : List.of(String.class, Integer.class, int[].class, void.class)) {
      String message =
          "k: parameter 'a' is passed by value as "
              + type.getTypeName()
              + "; give the class of a primitive, such as int.class";
      assertRefused(() -> k.value("a", type), message);
      assertRefused(() -> k.threads("a", type, 256), message);
    }
    assertRefused(
        () -> k.value("x", int.class).value("", String.class),
        "k: parameter '#1' is passed by value as java.lang.String; give the class of a primitive,"
            + " such as int.class");
    assertRefused(
        () -> k.reads("a", float.class),
        "k: parameter 'a': float is not an array of primitives or of a record; a device array holds"
            + " the elements of one");
    assertRefused(
        () -> k.writes("a", String[][].class),
        "k: parameter 'a': java.lang.String[] is not an array of primitives or of a record; a device"
            + " array holds the elements of one");
  }

  @Test
  void parametersHaveNamesOfTheirOwn() {
    KernelSignature k = KernelSignature.entry("k").value("a", int.class);
    String message = "k: two parameters are named 'a'; rename one";
    assertRefused(() -> k.value("a", int.class), message);
    assertRefused(() -> k.readWrites("a", int[].class), message);
    assertRefused(() -> k.struct("a", int.class), message);
    assertRefused(() -> k.threads("a", int.class), message);
    assertRefused(() -> k.shape("a"), message);
    assertRefused(
        () -> KernelSignature.fields("box").value("x", int.class).value("x", int.class),
        "box: two parameters are named 'x'; rename one");
    assertThat(k.struct(KernelSignature.fields("box").value("a", int.class)).parameters())
        .hasSize(2);
    assertThat(k.value("", int.class).value("", int.class).parameters()).hasSize(3);
  }

  private static void assertRefused(ThrowingCallable step, String message) {
    assertThatIllegalArgumentException().isThrownBy(step).withMessage(message);
  }

  @Test
  void exactlyOneParameterSaysHowManyThreadsRun() {
    KernelSignature none = KernelSignature.entry("k").value("a", int.class);
    KernelSignature counted = none.threads("n", int.class, 256);
    assertIncomplete(
        none, "k: no parameter says how many threads run; add threads(..) or shape(..)");
    assertIncomplete(
        counted.shape("grid"), "k: 'n' and 'grid' both say how many threads run; leave one out");
    assertIncomplete(
        counted.threads("m", int.class, 256),
        "k: 'n' and 'm' both say how many threads run; leave one out");
    counted.requireComplete();
    none.shape("grid").requireComplete();
  }

  @Test
  void atMostOneParameterSaysHowMuchDynamicSharedMemoryThereIs() {
    KernelSignature counted = KernelSignature.entry("k").threads("n", int.class, 256);
    KernelSignature sized = counted.dynamicSharedBytes("tile");
    sized.dynamicSharedBytes(64).requireComplete();
    assertIncomplete(
        sized.dynamicSharedBytes("more"),
        "k: 'tile' and 'more' both say how much dynamic shared memory there is; leave one out");
    assertIncomplete(
        KernelSignature.entry("k").dynamicSharedBytes("tile").shape("grid"),
        "k: 'tile' and 'grid' both say how much dynamic shared memory there is; leave one out");
  }

  /** Asserts that the signature is refused. */
  private static void assertIncomplete(KernelSignature signature, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(signature::requireComplete)
        .withMessage(message);
    try (DeviceRuntime gpu = DeviceRuntime.simulated()) {
      LoadedModule module = LoadedModule.of(gpu.streams().acquire(), VectorKernels.IMAGE);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> module.permissiveRecorder(signature))
          .withMessage(message);
    }
  }

  @Test
  void signaturesThatSayTheSameAreEqual() {
    assertThat(described()).isEqualTo(described()).hasSameHashCodeAs(described());
    assertThat(described()).isNotEqualTo(described().mayAlias());
    assertThat(described()).isNotEqualTo(described().cooperative());
    assertThat(described()).isNotEqualTo(described().value("more", int.class));
    assertThat(described()).isNotEqualTo(KernelSignature.entry("other"));
    assertThat(described()).isNotEqualTo("k");
  }

  private static KernelSignature described() {
    return KernelSignature.entry("k").value("n", int.class).reads("x", float[].class).shape("s");
  }
}
