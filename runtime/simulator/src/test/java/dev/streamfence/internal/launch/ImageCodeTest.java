package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.KernelLoadException;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kind of a file, recognised by its first bytes, and what is kept of its text. */
final class ImageCodeTest {
  private static final String BINARY = "it is a binary";

  private static final KernelImage NEVER_COMPARED = KernelImage.of("image", new byte[] {1});

  /** An image that the compiler has compared with another file than any of these. */
  private static final KernelImage COMPARED =
      KernelImage.resource("image", "0".repeat(64), name -> null);

  private static byte[] bytes(String hexadecimal) {
    return HexFormat.of().parseHex(hexadecimal);
  }

  private static String unreadable(byte[] file) {
    return ImageCode.of(NEVER_COMPARED, "file", file, false).unreadable();
  }

  @ParameterizedTest
  @ValueSource(strings = {"7f454c46", "7f454c4602010133", "50ed55ba", "50ed55ba01001000"})
  void anElfFileAndAFatBinaryAreBinaries(String file) {
    assertThat(unreadable(bytes(file))).isEqualTo(BINARY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"7f454c46", "50ed55ba"})
  void aFileIsABinaryOnlyIfAllFourBytesMatch(String magic) {
    byte[] whole = bytes(magic);
    for (int i = 0; i < whole.length; i++) {
      byte[] other = whole.clone();
      other[i] ^= 1;
      assertThat(unreadable(other)).as("byte %d is another", i).isNotEqualTo(BINARY);
      assertThat(unreadable(Arrays.copyOf(whole, i))).as("%d bytes", i).isNotEqualTo(BINARY);
    }
  }

  @Test
  void ptxIsReadable() {
    byte[] ptx = ".version 7.0\n.target sm_75\n.address_size 64\n".getBytes(US_ASCII);
    assertThat(unreadable(ptx)).isEmpty();
  }

  @Test
  void aBinaryThatCannotBeComparedSaysHowToAllowIt() {
    assertThatThrownBy(() -> ImageCode.of(COMPARED, "file", bytes("50ed55ba"), false))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageStartingWith("file: it cannot be compared with the interface; it is a binary; ")
        .hasMessageEndingWith(
            "; compile the interface with it, or allow it by"
                + " RuntimeOptions.withUncheckedBinaries(true)");
  }

  @Test
  void textThatCannotBeComparedIsToBeCompiledAgain() {
    assertThatThrownBy(() -> ImageCode.of(COMPARED, "file", "no PTX".getBytes(US_ASCII), false))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageStartingWith("file: it cannot be compared with the interface; line 1, ")
        .hasMessageEndingWith("; compile the PTX again");
  }

  private static final String STORING =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry store(.param .u64 out)
      {
        .reg .b64 %rd<2>;
        ld.param.u64 %rd1, [out];
        st.global.u32 [%rd1], 7;
        ret;
      }
      """;

  /** One takes it; the others are in case that the collector puts it off. */
  private static final int MOST_COLLECTIONS = 20;

  private static ImageCode collected(boolean isInMemory) {
    byte[] file = STORING.getBytes(US_ASCII);
    KernelImage image =
        isInMemory ? KernelImage.of("image", file) : KernelImage.resource("image", name -> null);
    ImageCode code = ImageCode.of(image, "image", file, false);
    code.check(
        KernelSignature.entry("store").writes("out", int[].class).shape("shape"), fact -> {});
    for (int i = 0; i < MOST_COLLECTIONS && code.isParsed(); i++) {
      System.gc();
    }
    assertThat(code.isParsed()).isFalse();
    return code;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aParsedModuleThatACollectionHasTakenIsParsedAgain(boolean isInMemory) {
    ImageCode code = collected(isInMemory);
    KernelSignature reading =
        KernelSignature.entry("store").reads("out", int[].class).shape("shape");
    assertThatThrownBy(() -> code.check(reading, fact -> {}))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("the kernel stores to it: st.global.u32 in line 8");
  }

  @Test
  void boundsAreFoundInAModuleThatIsParsedAgain() {
    ImageCode code = collected(true);
    KernelSignature writing =
        KernelSignature.entry("store").writes("out", int[].class).shape("shape");
    assertThat(code.bounds(writing)).isNotNull();
  }
}
