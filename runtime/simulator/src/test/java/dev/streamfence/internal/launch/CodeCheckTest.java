package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelLoadException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.device.RuntimeLog;
import dev.streamfence.launch.Access;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LoadedModule;
import java.io.ByteArrayInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Kernels whose code contradicts their interface; loading finds them. */
final class CodeCheckTest {
  private static final String OTHER = "0".repeat(64);

  private static final String OPEN =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry fill(.param .u64 out, .param .u32 n) .maxntid 128
      {
        .reg .b64 %rd<2>;
        ld.param.u64 %rd1, [out];
        ret;
      }
      """;

  private static final String EITHER =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry either(.param .u64 source, .param .u64 target)
      {
        .reg .pred %p<2>;
        .reg .b32 %r<2>;
        .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [source];
        ld.param.u64 %rd2, [target];
        mov.u32 %r1, %tid.x;
        setp.eq.u32 %p1, %r1, 0;
        selp.b64 %rd3, %rd1, %rd2, %p1;
        st.global.u32 [%rd3], 7;
        ret;
      }
      """;

  private final DeviceRuntime gpu = DeviceRuntime.simulated();
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
  }

  private static KernelSignature add(Access a, Access sum) {
    KernelSignature b = array(KernelSignature.entry("add"), "a", a).reads("b", int[].class);
    return array(b, "sum", sum).threads("n", int.class, 256);
  }

  private static KernelSignature array(KernelSignature before, String name, Access access) {
    return access == Access.READ
        ? before.reads(name, int[].class)
        : before.writes(name, int[].class);
  }

  private void assertRefused(KernelSignature signature, String... texts) {
    assertThatThrownBy(() -> LoadedModule.of(stream, VectorKernels.IMAGE).recorder(signature))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContainingAll(texts);
  }

  @Test
  void aReadOnlyArrayThatIsStoredToIsRefusedWithTheLine() {
    assertRefused(
        add(Access.READ, Access.READ),
        "parameter 'sum' of add is @Reads, but the kernel stores to it: st.global.u32 in line ");
  }

  @Test
  void aWriteOnlyArrayThatIsLoadedFromIsRefusedWithTheLine() {
    assertRefused(
        add(Access.WRITE, Access.WRITE),
        "parameter 'a' of add is @Writes, but the kernel loads from it: ld.global.u32 in line ");
  }

  @Test
  void aNumberThatIsUsedAsAnAddressIsRefused() {
    KernelSignature smuggling =
        KernelSignature.entry("increment").value("values", long.class).threads("n", int.class, 256);
    assertRefused(
        smuggling,
        "parameter 'values' of increment is passed by value, but the kernel uses it as an address:"
            + " ld.global.u32 in line ");
  }

  @Test
  void aBufferThatIsDeclaredWrittenAndNeverStoredToIsRefused() {
    assertThatThrownBy(() -> LoadedModule.of(stream, image(OPEN)).recorder(fill(256)))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining(
            "parameter 'out' of fill is @Writes, but the kernel never stores to it");
  }

  @Test
  void blocksThatTheKernelDoesNotAllowAreRefusedWithBothNumbers() {
    String storing = OPEN.replace("ret;", "st.global.u32 [%rd1], 0; ret;");
    LoadedModule module = LoadedModule.of(stream, image(storing));
    assertThatThrownBy(() -> module.recorder(fill(256)))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("fill is launched with 256 threads per block; the kernel allows 128");
    assertThat(module.recorder(fill(128))).isNotNull();
  }

  @Test
  void anUnclearAccessIsLoggedUnlessItIsTrusted() {
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.KERNELS)) {
      LoadedModule module = LoadedModule.of(stream, image(EITHER));
      module.recorder(
          KernelSignature.entry("either")
              .reads("source", int[].class)
              .trusted()
              .writes("target", int[].class)
              .shape("shape"));
      assertThat(log.messages()).isEmpty();
      module.recorder(
          KernelSignature.entry("either")
              .reads("source", int[].class)
              .writes("target", int[].class)
              .shape("shape"));
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains(
              "test.ptx: parameter 'source' of either is @Reads, but the kernel may store to it:"
                  + " st.global.u32 in line");
    }
  }

  @Test
  void anArrayThatMayBeStoredToAndIsOnlyLoadedIsNotLogged() {
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.KERNELS)) {
      KernelSignature a = KernelSignature.entry("add").readWrites("a", int[].class);
      LoadedModule.of(stream, VectorKernels.IMAGE)
          .recorder(
              a.reads("b", int[].class).writes("sum", int[].class).threads("n", int.class, 256));
      assertThat(log.messages()).isEmpty();
    }
  }

  @Test
  void anArrayOfWiderElementsThanTheKernelsWordsIsLogged() {
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.KERNELS)) {
      LoadedModule module = LoadedModule.of(stream, VectorKernels.IMAGE);
      module.recorder(
          KernelSignature.entry("increment")
              .readWrites("values", long[].class)
              .threads("n", int.class, 256));
      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith(
              "kernels/vector.ptx: parameter 'values' of increment is long[], whose elements have 8"
                  + " bytes, but the kernel only touches words of 4 bytes at a stride of 4:"
                  + " ld.global.u32 in line ");
      module.recorder(VectorKernels.INCREMENT);
      assertThat(log.messages()).hasSize(1);
    }
  }

  private record Pair(float first, int second) {}

  @Test
  void whatTheCompilerWarnsOfIsLogged() {
    String ptx =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry run(.param .u64 p, .param .u64 a, .param .u32 n)
        {
          .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .f32 %f<3>;
          ld.param.u64 %rd1, [p]; ld.param.u64 %rd4, [a]; mov.u32 %r1, %tid.x;
          mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2;
          ld.global.f32 %f1, [%rd3+4]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd3+4], %f2;
          cvt.u32.u64 %r2, %rd4; setp.ne.s32 %p1, %r2, 0; vote.sync.ballot.b32 %r3, %p1, -1;
          cvt.u64.u32 %rd5, %r3; ld.global.u32 %r4, [%rd5];
          ret;
        }
        """;
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.KERNELS)) {
      LoadedModule.of(stream, image(ptx))
          .recorder(
              KernelSignature.entry("run")
                  .readWrites("pairs", Pair[].class)
                  .value("number", long.class)
                  .threads("n", int.class, 256));
      assertThat(log.messages()).hasSize(2);
      assertThat(log.messages().toString())
          .contains("'number' of run is passed by value, but the kernel may use it as an address")
          .contains(
              "'pairs' of run is Pair[], whose component 2 is of type int, but the kernel computes"
                  + " with a float there");
    }
  }

  private static KernelSignature fill(int blockSize) {
    return KernelSignature.entry("fill")
        .writes("out", int[].class)
        .threads("n", int.class, blockSize);
  }

  private static KernelImage image(String ptx) {
    return KernelImage.of("test.ptx", ptx.getBytes(US_ASCII));
  }

  @Test
  void aFileThatTheCompilerHasComparedIsNotComparedAgain() {
    LoadedModule.of(stream, VectorKernels.COMPARED_IMAGE).recorder(add(Access.READ, Access.READ));
  }

  @Test
  void anotherFileThanTheCompilerSawIsComparedAndTakenIfItFits() {
    LoadedModule.of(stream, other(OTHER)).recorder(add(Access.READ, Access.WRITE));
  }

  @Test
  void anotherFileThanTheCompilerSawIsRefusedWithBothHashesIfItDoesNotFit() {
    assertThatThrownBy(
            () -> LoadedModule.of(stream, other(OTHER)).recorder(add(Access.READ, Access.READ)))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("stores to it")
        .hasMessageContaining(OTHER)
        .hasMessageContaining(VectorKernels.hash());
  }

  private static KernelImage other(String hash) {
    return KernelImage.resource(
        "kernels/vector.ptx", hash, VectorKernels.class::getResourceAsStream);
  }

  @Test
  void aBinaryThatNoCompilerHasSeenIsRefusedUnlessItIsAllowed() {
    // The driver that takes any image stands for a GPU, which takes binaries.
    byte[] binary = {0x7f, 'E', 'L', 'F'};
    KernelImage image =
        KernelImage.resource("binary.cubin", OTHER, name -> new ByteArrayInputStream(binary));
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.KERNELS);
        DeviceRuntime strict = AnyImageDriver.open(RuntimeOptions.defaults())) {
      assertThatThrownBy(() -> LoadedModule.of(strict.streams().acquire(), image))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining("cannot be compared with the interface; it is a binary")
          .hasMessageContaining(OTHER)
          .hasMessageContaining(KernelImage.sha256(binary));
      assertThat(log.messages()).isEmpty();
    }
    RuntimeOptions allowing = RuntimeOptions.defaults().withUncheckedBinaries(true);
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.KERNELS);
        DeviceRuntime lenient = AnyImageDriver.open(allowing)) {
      assertThat(LoadedModule.of(lenient.streams().acquire(), image)).isNotNull();
      assertThat(log.messages())
          .containsExactly("binary.sm_90.cubin: kernels are not checked; it is a binary");
    }
  }

  @Test
  void anImageThatTheDeviceRefusesIsNotReportedAsUnchecked() {
    KernelImage noPtx = KernelImage.of("no.ptx", "no PTX at all".getBytes(UTF_8));
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.KERNELS)) {
      assertThatThrownBy(() -> LoadedModule.of(stream, noPtx))
          .isInstanceOf(KernelLoadException.class);
      assertThat(log.messages()).isEmpty();
    }
  }

  @Test
  void aGridBarrierWithoutCooperationIsRefused() {
    String meeting =
        OPEN.replace("rd<2>;", "rd<4>; .reg .b32 %r<4>;")
            .replace(
                "ret;",
                "st.global.u32 [%rd1], 0; mov.u32 %r1, %envreg1; cvt.u64.u32 %rd2, %r1;"
                    + " atom.add.release.gpu.u32 %r2, [%rd2+4], 1; ret;");
    LoadedModule module = LoadedModule.of(stream, image(meeting));
    assertThatThrownBy(() -> module.recorder(fill(128)))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining(
            "fill is not cooperative, but the kernel waits for its whole grid:"
                + " atom.add.release.gpu.u32 in line 8");
    module.recorder(fill(128).cooperative());
  }

  @Test
  void dynamicSharedMemoryWithoutASizeIsLogged() {
    String storing =
        OPEN.replace(".visible", ".extern .shared .align 4 .b8 room[];\n.visible")
            .replace("ret;", "st.global.u32 [%rd1], 0; st.shared.u32 [room], 0; ret;");
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.KERNELS)) {
      LoadedModule.of(stream, image(storing)).recorder(fill(128));
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("fill has no dynamic shared memory, but the kernel uses it: st.shared.u32");
    }
  }
}
