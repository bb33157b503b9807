package dev.streamfence.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.Access;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.KernelLoadException;
import dev.streamfence.RuntimeLog;
import dev.streamfence.RuntimeOptions;
import java.io.ByteArrayInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Kernels whose code does other things than their interface says, found when they are loaded. */
final class CodeCheckTest {
  private static final String OTHER = "0".repeat(64);

  private final DeviceRuntime gpu = DeviceRuntime.simulated();
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
  }

  private static KernelSignature add(Access a, Access sum) {
    return KernelSignature.entry("add")
        .buffer("a", ElementType.INT, a)
        .buffer("b", ElementType.INT, Access.READ)
        .buffer("sum", ElementType.INT, sum)
        .threadCount("n", int.class)
        .build();
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
        "add: parameter 'sum'",
        "read-only",
        "stores to it: st.global.u32 in line ");
  }

  @Test
  void aWriteOnlyArrayThatIsLoadedFromIsRefusedWithTheLine() {
    assertRefused(
        add(Access.WRITE, Access.WRITE),
        "add: parameter 'a'",
        "write-only",
        "loads from it: ld.global.u32 in line ");
  }

  @Test
  void aNumberThatIsUsedAsAnAddressIsRefused() {
    KernelSignature smuggling =
        KernelSignature.entry("increment")
            .value("values", long.class)
            .threadCount("n", int.class)
            .build();
    assertRefused(smuggling, "increment: parameter 'values'", "uses it as an address");
  }

  @Test
  void whatTheCompilerHasSeenIsNotComparedAgain() {
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
    try (RuntimeLog log = RuntimeLog.listenTo(KernelModules.class);
        DeviceRuntime strict = AnyImageDriver.open(RuntimeOptions.defaults())) {
      assertThatThrownBy(() -> LoadedModule.of(strict.streams().acquire(), image))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining("cannot be compared with the interface: it is a binary")
          .hasMessageContaining(OTHER)
          .hasMessageContaining(KernelImage.sha256(binary));
      assertThat(log.messages()).isEmpty();
    }
    RuntimeOptions allowing = RuntimeOptions.defaults().withUncheckedBinaries(true);
    try (RuntimeLog log = RuntimeLog.listenTo(KernelModules.class);
        DeviceRuntime lenient = AnyImageDriver.open(allowing)) {
      assertThat(LoadedModule.of(lenient.streams().acquire(), image)).isNotNull();
      assertThat(log.messages())
          .containsExactly("binary.sm_90.cubin: kernels are not checked: it is a binary");
    }
  }

  @Test
  void whatTheDeviceRefusesIsNotSaidToBeUnchecked() {
    KernelImage noPtx = KernelImage.of("no.ptx", "no PTX at all".getBytes(UTF_8));
    try (RuntimeLog log = RuntimeLog.listenTo(KernelModules.class)) {
      assertThatThrownBy(() -> LoadedModule.of(stream, noPtx))
          .isInstanceOf(KernelLoadException.class);
      assertThat(log.messages()).isEmpty();
    }
  }
}
