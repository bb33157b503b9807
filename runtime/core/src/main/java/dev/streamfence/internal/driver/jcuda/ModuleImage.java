package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.ptx.binary.CodeFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Checks device code before the driver sees it. The driver gets an address but no length, so it
 * would read past the end of a truncated binary, and stop at a zero byte in text. {@link
 * ModuleLoading} ends text with a zero.
 */
final class ModuleImage {
  private static final int ELF_HEADER_BYTES = 64;
  private static final int ELF_64_BIT_LITTLE_ENDIAN = 0x0102;
  private static final int ELF_MACHINE_CUDA = 190;
  private static final int SECTION_WITHOUT_BYTES = 8;
  private static final int FATBIN_HEADER_BYTES = 16;

  private ModuleImage() {}

  /**
   * Checks that the driver will read the whole image and not past its end.
   *
   * @throws KernelLoadException if it will not
   */
  static void check(String name, byte[] image) {
    ByteBuffer bytes = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    switch (CodeFormat.of(image)) {
      case CUBIN -> checkElf(name, bytes);
      case FAT_BINARY -> checkFatbin(name, bytes);
      case TEXT -> checkText(name, image);
    }
  }

  private static void checkText(String name, byte[] image) {
    if (image.length == 0) {
      throw refusal(name, "the image is empty; pass PTX text, a cubin or a fatbin");
    }
    for (int i = 0; i < image.length; i++) {
      if (image[i] == 0) {
        throw refusal(
            name,
            "the image is neither a cubin nor a fatbin, and as PTX text it has a zero byte at "
                + i
                + "; pass one of the three, text without an end mark");
      }
    }
  }

  private static void checkFatbin(String name, ByteBuffer image) {
    require(name, image, 0, FATBIN_HEADER_BYTES, "the fatbin's header");
    int header = Short.toUnsignedInt(image.getShort(6));
    require(name, image, header, image.getLong(8), "the fatbin's content");
  }

  private static void checkElf(String name, ByteBuffer image) {
    require(name, image, 0, ELF_HEADER_BYTES, "the cubin's header");
    if (image.getShort(4) != ELF_64_BIT_LITTLE_ENDIAN || image.getShort(18) != ELF_MACHINE_CUDA) {
      throw refusal(name, "the image is an ELF file but not a 64-bit cubin");
    }
    int segments = Short.toUnsignedInt(image.getShort(56));
    long segmentBytes = Short.toUnsignedLong(image.getShort(54));
    require(name, image, image.getLong(32), segments * segmentBytes, "the cubin's segment table");
    int sections = Short.toUnsignedInt(image.getShort(60));
    int sectionBytes = Short.toUnsignedInt(image.getShort(58));
    if (sections > 0 && sectionBytes < ELF_HEADER_BYTES) {
      throw refusal(
          name, "the cubin's sections have headers of " + sectionBytes + " bytes, not 64");
    }
    long table = image.getLong(40);
    require(name, image, table, (long) sections * sectionBytes, "the cubin's section table");
    for (int i = 0; i < sections; i++) {
      int section = (int) table + i * sectionBytes;
      if (image.getInt(section + 4) != SECTION_WITHOUT_BYTES) {
        require(
            name,
            image,
            image.getLong(section + 24),
            image.getLong(section + 32),
            "section " + i + " of the cubin");
      }
    }
  }

  private static void require(
      String name, ByteBuffer image, long offset, long length, String what) {
    int size = image.capacity();
    if (offset < 0 || length < 0 || length > size || offset > size - length) {
      throw refusal(
          name,
          what
              + " takes "
              + length
              + " bytes from "
              + offset
              + " on, but the image has "
              + size
              + "; it was cut off or damaged");
    }
  }

  private static KernelLoadException refusal(String name, String fact) {
    return new KernelLoadException(name, fact, "", null);
  }
}
