package dev.streamfence.internal.ptx.check;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.binary.Cubin;
import dev.streamfence.launch.Access;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sizes of parameters in the binaries of {@code sizes.cu}. */
final class CubinTest {
  private static final KernelParameter POSITIONS =
      new KernelParameter.Array(
          "positions",
          ElementType.FLOAT,
          Access.READ_WRITE,
          false,
          false,
          false,
          false,
          List.of(),
          0);
  private static final KernelParameter BOX =
      new KernelParameter.Struct(
          "box",
          List.of(
              new KernelParameter.Value("width", ElementType.INT),
              new KernelParameter.Value("height", ElementType.INT),
              new KernelParameter.Value("filled", ElementType.BYTE)));
  private static final KernelParameter SECONDS =
      new KernelParameter.Value("seconds", ElementType.DOUBLE);
  private static final KernelParameter COUNT = new KernelParameter.Value("count", ElementType.INT);

  private static byte[] file(int architecture) throws IOException {
    try (InputStream in =
        CubinTest.class.getResourceAsStream(
            "/dev/streamfence/internal/ptx/sizes.sm_" + architecture + ".cubin")) {
      return Objects.requireNonNull(in).readAllBytes();
    }
  }

  private static List<String> compare(byte[] file, String entry, KernelParameter... parameters) {
    Cubin binary = Cubin.read(file).orElseThrow();
    KernelSignature declared = KernelSignature.entry(entry);
    for (KernelParameter parameter : parameters) {
      declared = declared.with(parameter);
    }
    KernelSignature signature = declared;
    return CubinCheck.compare(binary, signature).stream()
        .map(mismatch -> mismatch.sentence(signature, AccessSite::toString))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {75, 90, 100})
  void parametersAreComparedByNumberAndSize(int architecture) throws IOException {
    byte[] file = file(architecture);
    assertThat(compare(file, "move", POSITIONS, BOX, SECONDS, COUNT)).isEmpty();
    assertThat(compare(file, "nothing")).isEmpty();
    assertThat(compare(file, "move", POSITIONS, BOX, COUNT, SECONDS))
        .containsExactly(
            "parameter 'count' of move has 4 bytes; parameter 3 of the kernel has 8",
            "parameter 'seconds' of move has 8 bytes; parameter 4 of the kernel has 4");
    assertThat(compare(file, "move", POSITIONS, BOX, SECONDS))
        .containsExactly("move takes 4 parameters; the interface passes 3");
    assertThat(compare(file, "nothing", COUNT))
        .containsExactly("nothing takes 0 parameters; the interface passes 1");
    assertThat(compare(file, "scaled", COUNT))
        .containsExactly("the code has no entry scaled; it has move, nothing");
  }

  @Test
  void nothingIsClaimedWhereTheSizesDoNotAddUp() throws IOException {
    byte[] file = file(90);
    // The size of all parameters, 0x24, stands behind its attribute.
    int at = indexOf(file, 0x03, 0x19, 0x24, 0x00);
    file[at + 2] = 0x28;
    assertThat(compare(file, "move", COUNT)).isEmpty();
  }

  private static int indexOf(byte[] file, int... bytes) {
    for (int i = 0; i < file.length - bytes.length; i++) {
      int same = 0;
      while (same < bytes.length && file[i + same] == (byte) bytes[same]) {
        same++;
      }
      if (same == bytes.length) {
        return i;
      }
    }
    throw new AssertionError(Arrays.toString(bytes));
  }

  @Test
  void aFileThatIsNoBinaryIsNotRead() {
    assertThat(Cubin.read(new byte[0])).isEmpty();
    assertThat(Cubin.read(new byte[] {0x7f, 'E', 'L', 'F'})).isEmpty();
    assertThat(Cubin.read(".version 8.0".repeat(10).getBytes(US_ASCII))).isEmpty();
  }

  @Test
  void aFileThatIsCutAnywhereThrowsNothing() throws IOException {
    byte[] file = file(75);
    for (int length = 0; length < file.length; length++) {
      Cubin.read(Arrays.copyOf(file, length))
          .ifPresent(
              cubin ->
                  assertThat(CubinCheck.compare(cubin, KernelSignature.entry("move"))).isNotNull());
    }
  }

  @Test
  void aFileThatIsChangedAnywhereThrowsNothing() throws IOException {
    byte[] file = file(90);
    Random random = new Random(5);
    for (int i = 0; i < 20_000; i++) {
      byte[] changed = file.clone();
      for (int change = 0; change < 1 + i % 4; change++) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      }
      Cubin.read(changed)
          .ifPresent(
              cubin ->
                  assertThat(CubinCheck.compare(cubin, KernelSignature.entry("move").with(COUNT)))
                      .isNotNull());
    }
  }

  /**
   * A file of sections with these names, each of which holds the whole file. The last one, which
   * has no name of its own, holds the names.
   */
  private static byte[] overlapping(String... names) {
    int headers = 64;
    int texts = headers + 64 * (names.length + 1);
    byte[] all = (String.join("\0", names) + "\0").getBytes(US_ASCII);
    ByteBuffer file = ByteBuffer.allocate(texts + all.length).order(ByteOrder.LITTLE_ENDIAN);
    file.put(0, new byte[] {0x7f, 'E', 'L', 'F', 2, 1});
    file.putLong(40, headers);
    file.putShort(60, (short) (names.length + 1));
    file.putShort(62, (short) names.length);
    int name = 0;
    for (int i = 0; i < names.length; i++) {
      file.putInt(headers + 64 * i, name);
      file.putLong(headers + 64 * i + 32, file.limit());
      name += names[i].length() + 1;
    }
    file.putInt(headers + 64 * names.length, name - 1);
    file.putLong(headers + 64 * names.length + 24, texts);
    file.putLong(headers + 64 * names.length + 32, all.length);
    file.put(texts, all);
    return file.array();
  }

  @Test
  void sectionsThatExceedTheFileAreNotRead() {
    assertThat(Cubin.read(overlapping(".text.a", ".nv.info.a"))).isPresent();
    assertThat(Cubin.read(overlapping(".text.a", ".nv.info.a", ".text.b", ".nv.info.b"))).isEmpty();
  }

  @Test
  void namesAboveTheLimitAreNotRead() {
    assertThat(Cubin.read(overlapping(".text." + "a".repeat(4000)))).isPresent();
    assertThat(Cubin.read(overlapping(".text." + "a".repeat(5000)))).isEmpty();
  }

  @Test
  void sectionsThatAreCountedElsewhereAreNotRead() {
    byte[] file = overlapping(".text.a", ".nv.info.a");
    file[60] = 0;
    assertThat(Cubin.read(file)).isEmpty();
  }
}
