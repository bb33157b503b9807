package dev.streamfence.launch;

import dev.streamfence.internal.ptx.syntax.CodeLimits;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The device code of one kernel module: PTX text or a binary, and its name in errors. Identity
 * matters: a runtime loads one image object once. Immutable and thread-safe.
 */
public final class KernelImage {
  /** The size of the largest file that is read, in bytes; no module of kernels is as large. */
  public static final int MAX_BYTES = CodeLimits.FILE_BYTES;

  /** Opens a resource by name, such as {@code SomeClass.class::getResourceAsStream}. */
  @FunctionalInterface
  public interface ResourceOpener {
    /** Returns the resource's content, or null if there is no resource of that name. */
    @Nullable InputStream open(String name);
  }

  private final String name;
  private final String sha256;
  private final @Nullable ResourceOpener opener;
  private final byte[] bytes;
  private final List<KernelSymbol> symbols;

  private KernelImage(
      String name,
      String sha256,
      @Nullable ResourceOpener opener,
      byte[] bytes,
      List<KernelSymbol> symbols) {
    this.name = name;
    this.sha256 = sha256;
    this.opener = opener;
    this.bytes = bytes;
    this.symbols = symbols;
  }

  /**
   * An image in a folder of the runtime's options or on the class path, read when it is first used.
   * A file of more than 16 MiB is refused.
   *
   * @param name the resource's name from the root of the class path, without a leading slash
   * @param opener opens the resource; a method reference on the class that needs it, whose class
   *     loader and module then apply
   */
  public static KernelImage resource(String name, ResourceOpener opener) {
    return resource(name, "", opener);
  }

  /**
   * An image like {@link #resource(String, ResourceOpener)}, which was compared with its interface
   * at compile time. That file is not compared again; any other file is compared when it is loaded.
   *
   * @param sha256 the hash of the file that was compared, in lower-case hexadecimal digits
   */
  public static KernelImage resource(String name, String sha256, ResourceOpener opener) {
    return new KernelImage(
        name, sha256, Objects.requireNonNull(opener, "opener"), new byte[0], List.of());
  }

  /** An image from bytes in memory, which are copied. */
  public static KernelImage of(String name, byte[] bytes) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(bytes, "bytes");
    return new KernelImage(name, "", null, bytes.clone(), List.of());
  }

  /**
   * An image like this one, with one more variable of the module that the host reads and writes
   * through {@link LoadedModule#symbol}. Launches of its kernels are ordered with these reads and
   * writes.
   *
   * @param symbol the variable's name in the code
   * @param arrayType the class of an array of its elements; one variable may be declared with
   *     several
   * @throws IllegalArgumentException if {@code arrayType} is not an array of primitives
   */
  public KernelImage symbol(String symbol, Class<?> arrayType) {
    Objects.requireNonNull(symbol, "symbol");
    Objects.requireNonNull(arrayType, "arrayType");
    List<KernelSymbol> more = new ArrayList<>(symbols);
    more.add(new KernelSymbol(symbol, ElementType.ofArray(arrayType)));
    return new KernelImage(name, sha256, opener, bytes, List.copyOf(more));
  }

  /**
   * Hashes a file.
   *
   * @return its SHA-256, in lower-case hexadecimal digits
   */
  public static String sha256(byte[] file) {
    Objects.requireNonNull(file, "file");
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** The image's name in errors. */
  public String name() {
    return name;
  }

  /** The hash of the file that was compared with the interface; empty if none was. */
  public String sha256() {
    return sha256;
  }

  /** Opens its resources; empty if the image is in memory. */
  public Optional<ResourceOpener> opener() {
    return Optional.ofNullable(opener);
  }

  /** The variables that the host reads and writes. */
  public List<KernelSymbol> symbols() {
    return symbols;
  }

  /** A copy of its bytes; empty if it is a resource. */
  public byte[] bytes() {
    return bytes.clone();
  }

  @Override
  public String toString() {
    return name;
  }
}
