package dev.streamfence.launch;

import dev.streamfence.KernelLoadException;
import dev.streamfence.driver.DeviceProperties;
import dev.streamfence.ptx.BlockLimit;
import dev.streamfence.ptx.Cubin;
import dev.streamfence.ptx.KernelCheck;
import dev.streamfence.ptx.KernelDeclaration;
import dev.streamfence.ptx.Mismatch;
import dev.streamfence.ptx.PtxEntry;
import dev.streamfence.ptx.PtxException;
import dev.streamfence.ptx.PtxModule;
import dev.streamfence.ptx.PtxVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is in a file that is going to be loaded for an image, and whether its kernels are still to
 * be compared with their interface. Confined to one thread at a time.
 */
final class ImageCode {
  private final KernelImage image;
  private final @Nullable PtxModule ptx;
  private final @Nullable Cubin binary;
  private @Nullable KernelCheck check;
  private final boolean isChecked;
  private final String origin;
  private final String unreadable;

  private ImageCode(
      KernelImage image,
      @Nullable PtxModule ptx,
      @Nullable Cubin binary,
      boolean isChecked,
      String origin,
      String unreadable) {
    this.image = image;
    this.ptx = ptx;
    this.binary = binary;
    this.isChecked = isChecked;
    this.origin = origin;
    this.unreadable = unreadable;
  }

  /**
   * Looks at a file. What this parser cannot read may be newer than it is, so that it is not
   * refused; its kernels then stay unchecked, as those of a binary do. What is no PTX at all, the
   * device refuses.
   *
   * @param source what errors call it
   * @param binariesAllowed whether it may be a binary although the compiler has seen another file
   * @throws KernelLoadException if it cannot be compared with the interface and has to be, or if it
   *     has addresses of 32 bits
   */
  static ImageCode of(KernelImage image, String source, byte[] file, boolean binariesAllowed) {
    String hash = KernelImage.sha256(file);
    if (hash.equals(image.sha256())) {
      return new ImageCode(image, beyondTheComparison(source, file), null, true, "", "");
    }
    String origin =
        image.sha256().isEmpty()
            ? ""
            : "; the interface was compiled with another file (SHA-256 "
                + image.sha256()
                + ", this one has "
                + hash
                + ")";
    String unreadable = "it is a binary";
    if (looksLikePtx(file)) {
      try {
        PtxModule ptx = parse(source, new String(file, StandardCharsets.UTF_8));
        return new ImageCode(image, ptx, null, false, origin, "");
      } catch (PtxException e) {
        unreadable = String.valueOf(e.getMessage());
      }
    }
    if (!origin.isEmpty() && !binariesAllowed) {
      throw new KernelLoadException(
          source,
          "it cannot be compared with the interface: "
              + unreadable
              + origin
              + (looksLikePtx(file)
                  ? "; make the PTX anew"
                  : "; compile the interface with it, or allow it by"
                      + " RuntimeOptions.withUncheckedBinaries(true)"),
          "",
          null);
    }
    return new ImageCode(image, null, Cubin.read(file).orElse(null), false, origin, unreadable);
  }

  /** Why nothing in it can be compared with the interface; empty if it can be, or has been. */
  String unreadable() {
    return unreadable;
  }

  /**
   * Compares a kernel with its declaration, unless the compiler has.
   *
   * @throws KernelLoadException if its code contradicts it
   */
  void check(KernelSignature signature) {
    if (!isChecked) {
      CodeCheck.check(image.name(), origin, compare(signature.declaration()), signature);
    }
  }

  /** Of a binary, no more is seen than the sizes of parameters. */
  private List<Mismatch> compare(KernelDeclaration declared) {
    if (ptx != null) {
      if (check == null) {
        check = new KernelCheck(ptx);
      }
      return check.compare(declared);
    }
    return binary == null ? List.of() : binary.compare(declared);
  }

  /** The block that a kernel demands of every launch, where the file says so in PTX. */
  Optional<BlockLimit> requiredBlock(String entry) {
    return Optional.ofNullable(ptx)
        .flatMap(module -> module.entry(entry))
        .flatMap(PtxEntry::blockLimit)
        .filter(BlockLimit::exact);
  }

  /**
   * The text that the compiler has checked, if there is more to know of it: a device tells how many
   * threads a kernel takes, but not that it takes no other number.
   */
  private static @Nullable PtxModule beyondTheComparison(String source, byte[] file) {
    String text = new String(file, StandardCharsets.UTF_8);
    // Text for 64 bits says so in these words, as compilers write them.
    if (!looksLikePtx(file) || (text.contains(".address_size 64") && !text.contains(".reqntid"))) {
      return null;
    }
    try {
      return parse(source, text);
    } catch (PtxException e) {
      // The compiler has warned of it, and the device refuses other blocks by itself.
      return null;
    }
  }

  /** Addresses of 32 bits have no place in the arguments, whatever the device says to them. */
  private static PtxModule parse(String source, String text) {
    PtxModule ptx = PtxModule.parse(text);
    if (ptx.addressSize() != Long.SIZE) {
      throw new KernelLoadException(
          source,
          "it is PTX with addresses of "
              + ptx.addressSize()
              + " bits, those of devices have "
              + Long.SIZE
              + "; compile it with -m64, which says .address_size 64",
          "",
          null);
    }
    return ptx;
  }

  /** Why a device refuses a file, where that can be seen; otherwise empty. */
  static String explainRefusal(byte[] file, DeviceProperties device) {
    if (!looksLikePtx(file)) {
      return "";
    }
    try {
      PtxModule ptx = PtxModule.parse(new String(file, StandardCharsets.UTF_8));
      String tooNew = tooNew(ptx, device);
      return !tooNew.isEmpty() || ptx.runsOn(device.computeMajor(), device.computeMinor())
          ? tooNew
          : "it is PTX for "
              + ptx.target()
              + ", the device has compute capability "
              + device.computeMajor()
              + "."
              + device.computeMinor();
    } catch (PtxException e) {
      // The device's own words are about the same text.
      return "";
    }
  }

  private static String tooNew(PtxModule ptx, DeviceProperties device) {
    Optional<PtxVersion> written = PtxVersion.of(ptx.isaVersion());
    Optional<PtxVersion> taken = PtxVersion.takenBy(device.driverVersion());
    if (written.isEmpty() || taken.isEmpty() || !written.get().isNewerThan(taken.get())) {
      return "";
    }
    return "it is PTX of version "
        + written.get()
        + ", the driver is of CUDA "
        + device.driverVersion() / 1000
        + "."
        + device.driverVersion() % 1000 / 10
        + " and takes versions up to "
        + taken.get()
        + "; compile it with a toolkit no newer than that, or update the driver";
  }

  private static boolean looksLikePtx(byte[] file) {
    boolean elf = file.length > 3 && file[0] == 0x7f && file[1] == 'E';
    boolean fatbin = file.length > 3 && file[0] == 0x50 && (file[1] & 0xff) == 0xed;
    return !elf && !fatbin;
  }
}
