package dev.streamfence.internal.driver.jcuda;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.KernelLoadException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver never gets an image whose end it would read past. */
class ModuleImageTest {
  @Test
  void textWithoutAnEndMarkIsTaken() {
    assertTaken(SeamCalls.ptx());
  }

  @Test
  void textWithAZeroByteIsRefused() {
    byte[] text = Arrays.copyOf(SeamCalls.ptx(), SeamCalls.PTX.length() + 1);

    assertRefused(text, "a zero byte at " + SeamCalls.PTX.length());
  }

  @Test
  void anEmptyImageIsRefused() {
    assertRefused(new byte[0], "the image is empty");
  }

  @Test
  void aWholeCubinIsTaken() {
    assertTaken(cubin());
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 63, 64, 100, 191, 199})
  void aCubinThatWasCutOffIsRefused(int length) {
    assertRefused(Arrays.copyOf(cubin(), length), "cut off or damaged");
  }

  @Test
  void anElfFileOfAnotherMachineIsRefused() {
    byte[] image = cubin();
    image[18] = 62;

    assertRefused(image, "not a 64-bit cubin");
  }

  @ParameterizedTest
  @ValueSource(ints = {32, 40})
  void tablesAtImpossiblePlacesAreRefused(int field) {
    for (long place : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32}) {
      byte[] image = cubin();
      bytes(image).putLong(field, place);

      assertRefused(image, "cut off or damaged");
    }
  }

  @Test
  void sectionHeadersOfAnImpossibleSizeAreRefused() {
    byte[] image = cubin();
    bytes(image).putShort(58, (short) 8);

    assertRefused(image, "headers of 8 bytes");
  }

  @Test
  void aWholeFatbinIsTakenAndATruncatedOneRefused() {
    byte[] image = new byte[16 + 100];
    bytes(image)
        .putInt(0, 0xBA55ED50)
        .putShort(4, (short) 1)
        .putShort(6, (short) 16)
        .putLong(8, 100);

    assertTaken(image);
    assertRefused(Arrays.copyOf(image, image.length - 1), "the fatbin's content takes 100 bytes");
    assertRefused(Arrays.copyOf(image, 15), "the fatbin's header");
  }

  /** A header, one section with 8 bytes and one without any, and their table. */
  private static byte[] cubin() {
    byte[] image = new byte[64 + 8 + 128];
    ByteBuffer bytes = bytes(image);
    bytes.putInt(0, 0x464C457F).put(4, (byte) 2).put(5, (byte) 1).putShort(18, (short) 190);
    bytes.putLong(40, 72).putShort(54, (short) 56).putShort(58, (short) 64).putShort(60, (short) 2);
    bytes.putInt(72 + 4, 1).putLong(72 + 24, 64).putLong(72 + 32, 8);
    bytes.putInt(136 + 4, 8).putLong(136 + 24, 64).putLong(136 + 32, 1L << 40);
    return image;
  }

  private static ByteBuffer bytes(byte[] image) {
    return ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void assertTaken(byte[] image) {
    assertThatCode(() -> ModuleImage.check("a", image)).doesNotThrowAnyException();
  }

  private static void assertRefused(byte[] image, String fact) {
    assertThatThrownBy(() -> ModuleImage.check("a", image))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining(fact);
  }
}
