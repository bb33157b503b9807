package dev.streamfence.internal.launch;

import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.ptx.analysis.AnalysisBudget;
import dev.streamfence.internal.ptx.analysis.VariableUse;
import dev.streamfence.internal.ptx.analysis.VariableUses;
import dev.streamfence.internal.ptx.binary.CodeFormat;
import dev.streamfence.internal.ptx.binary.Cubin;
import dev.streamfence.internal.ptx.check.CubinCheck;
import dev.streamfence.internal.ptx.check.KernelCheck;
import dev.streamfence.internal.ptx.check.KernelFacts;
import dev.streamfence.internal.ptx.check.Mismatch;
import dev.streamfence.internal.ptx.check.SymbolMismatch;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.PtxVersion;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.KernelSymbol;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The code in a file that is about to be loaded for an image; compares its kernels with their
 * interface unless the compiler has. Confined to one thread at a time.
 */
final class ImageCode {
  private final String source;

  /** Reads the bytes of the file again; an image in memory has them. */
  private final Supplier<byte[]> file;

  private final List<KernelSymbol> symbols;

  /**
   * The parsed module, until a collection takes it: it is much larger than its text, and hardly
   * used after the kernels are loaded.
   */
  private WeakReference<KernelCheck> parsed;

  /** Kept, so that a module that is parsed again has only the rest of it. */
  private final AnalysisBudget budget = new AnalysisBudget();

  private final @Nullable Cubin binary;
  private @Nullable VariableUses variableUses;
  private final boolean isChecked;
  private final String origin;
  private final String unreadable;

  /** Whether parsing the file may succeed. */
  private boolean mayBeRead;

  /** Whether an entry may require one block shape. */
  private final boolean mayRequireBlock;

  private ImageCode(
      String source,
      byte[] file,
      KernelImage image,
      @Nullable PtxModule ptx,
      @Nullable Cubin binary,
      boolean isChecked,
      String origin,
      String unreadable,
      boolean mayRequireBlock) {
    this.source = source;
    this.file = image.opener().isPresent() ? () -> file : image::bytes;
    this.symbols = image.symbols();
    this.parsed = new WeakReference<>(ptx == null ? null : new KernelCheck(ptx, budget));
    this.binary = binary;
    this.isChecked = isChecked;
    this.origin = origin;
    this.unreadable = unreadable;
    this.mayBeRead = unreadable.isEmpty() && looksLikePtx(file);
    this.mayRequireBlock = mayRequireBlock;
  }

  /**
   * Reads a file. PTX that this parser cannot read may be newer than the parser; where no
   * comparison is required, it is accepted and its kernels stay unchecked. The device refuses text
   * that is not PTX.
   *
   * @param source its name in errors
   * @param binariesAllowed whether it may be a binary although the compiler saw another file
   * @throws KernelLoadException if it cannot be compared with the interface and has to be, or if it
   *     has 32-bit addresses
   */
  static ImageCode of(KernelImage image, String source, byte[] file, boolean binariesAllowed) {
    // A module that was compared with no interface has no hash to be found equal.
    String hash = image.sha256().isEmpty() ? "" : KernelImage.sha256(file);
    if (!hash.isEmpty() && hash.equals(image.sha256())) {
      String text = looksLikePtx(file) ? new String(file, StandardCharsets.UTF_8) : "";
      requireLongAddresses(source, text);
      // Compilers write exactly this word.
      boolean mayRequire = text.contains(".reqntid");
      return new ImageCode(source, file, image, null, null, true, "", "", mayRequire);
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
        return new ImageCode(source, file, image, ptx, null, false, origin, "", true);
      } catch (PtxException e) {
        unreadable = "line " + e.line() + ", " + e.fact();
      }
    }
    if (!origin.isEmpty() && !binariesAllowed) {
      throw new KernelLoadException(
          source,
          "it cannot be compared with the interface; "
              + unreadable
              + origin
              + (looksLikePtx(file)
                  ? "; compile the PTX again"
                  : "; compile the interface with it, or allow it by"
                      + " RuntimeOptions.withUncheckedBinaries(true)"),
          "",
          null);
    }
    return new ImageCode(
        source, file, image, null, Cubin.read(file).orElse(null), false, origin, unreadable, false);
  }

  /** Why its kernels cannot be compared with the interface; empty if they can be or have been. */
  String unreadable() {
    return unreadable;
  }

  /**
   * Compares a kernel with its declaration, unless the compiler has.
   *
   * @param warning receives each warning
   * @throws KernelLoadException if the code contradicts the declaration
   */
  void check(KernelSignature signature, Consumer<String> warning) {
    if (!isChecked) {
      CodeCheck.check(source, origin, compare(signature), signature, warning);
    }
  }

  /** A binary shows only its entries and the sizes of their parameters. */
  private List<Mismatch> compare(KernelSignature declared) {
    KernelCheck check = check();
    if (check != null) {
      return check.compare(declared);
    }
    return binary == null ? List.of() : CubinCheck.compare(binary, declared);
  }

  /**
   * What the compiler found out about a kernel; empty if this is not the file that it saw, or if
   * the launcher does not have it.
   */
  Optional<KernelFacts> facts(KernelSignature signature) {
    return isChecked ? KernelFacts.parse(signature) : Optional.empty();
  }

  /**
   * What launches of a kernel touch; null if that is unknown. A binary does not show it.
   *
   * @param signature its declaration, which the code agrees with
   */
  @Nullable LoadedBounds bounds(KernelSignature signature) {
    KernelCheck check = check();
    return check == null
        ? null
        : check.launches(signature).map(found -> LoadedBounds.of(found, signature)).orElse(null);
  }

  /** Whether the parsed module is in memory. */
  boolean isParsed() {
    return parsed.get() != null;
  }

  /** The module; null if it cannot be read. */
  private @Nullable KernelCheck check() {
    KernelCheck check = parsed.get();
    if (check == null && mayBeRead) {
      try {
        PtxModule module = PtxModule.parse(new String(file.get(), StandardCharsets.UTF_8));
        check = new KernelCheck(module, budget);
      } catch (PtxException e) {
        // It may be newer than the parser. The compiler has warned of it.
        mayBeRead = false;
        return null;
      }
      parsed = new WeakReference<>(check);
    }
    return check;
  }

  /** The block shape that a kernel requires of every launch; empty unless PTX states it. */
  Optional<BlockLimit> requiredBlock(String entry) {
    return Optional.ofNullable(mayRequireBlock ? check() : null)
        .flatMap(check -> check.module().entry(entry))
        .flatMap(PtxEntry::blockLimit)
        .filter(BlockLimit::exact);
  }

  /**
   * Compares the variables that the host uses with their declarations, unless the compiler has.
   *
   * @throws KernelLoadException if the code contradicts a declaration
   */
  void checkSymbols() {
    KernelCheck check = isChecked || symbols.isEmpty() ? null : check();
    if (check == null) {
      return;
    }
    for (KernelSymbol symbol : symbols) {
      Optional<SymbolMismatch> mismatch = check.compare(symbol);
      if (mismatch.isPresent()) {
        throw new KernelLoadException(source, mismatch.get().sentence() + origin, "", null);
      }
    }
  }

  /** What a kernel may do with one of the image's symbols: everything, unless PTX shows less. */
  VariableUse use(String entry, String symbol) {
    if (variableUses == null) {
      KernelCheck check = check();
      if (check == null) {
        return new VariableUse(true, true);
      }
      Set<String> names = symbols.stream().map(KernelSymbol::name).collect(Collectors.toSet());
      variableUses = new VariableUses(check.module(), names, new AnalysisBudget());
    }
    return variableUses.of(entry, symbol);
  }

  /** Refuses PTX with 32-bit addresses, if it can be read. */
  private static void requireLongAddresses(String source, String text) {
    // Compilers write exactly these words into 64-bit PTX.
    if (!text.isEmpty() && !text.contains(".address_size 64")) {
      try {
        parse(source, text);
      } catch (PtxException e) {
        // The compiler has warned of it, and the device refuses text that is not PTX.
      }
    }
  }

  /**
   * Refuses 32-bit addresses even where the device accepts them: arguments hold 64-bit addresses.
   */
  private static PtxModule parse(String source, String text) {
    PtxModule ptx = PtxModule.parse(text);
    if (ptx.addressSize() != Long.SIZE) {
      throw new KernelLoadException(
          source,
          "it is PTX with addresses of "
              + ptx.addressSize()
              + " bits, and devices have addresses of "
              + Long.SIZE
              + " bits; compile it with -m64, which says .address_size 64",
          "",
          null);
    }
    return ptx;
  }

  /** Why a device refuses a file; empty if the file does not show it. */
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
      // The device's own message is about the same text.
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
    return CodeFormat.of(file) == CodeFormat.TEXT;
  }
}
