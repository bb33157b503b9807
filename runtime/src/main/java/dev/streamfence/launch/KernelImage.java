package dev.streamfence.launch;

import dev.streamfence.ptx.CodeLimits;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The device code of one kernel module: PTX text or a binary, and the name that errors call it.
 * Identity matters: a runtime loads one image object once. Immutable and thread-safe.
 */
public final class KernelImage {
  /** Bytes of a file that are read: more than any kernels need. */
  public static final int MAX_BYTES = CodeLimits.FILE_BYTES;

  /** Opens a resource by name; {@code SomeClass.class::getResourceAsStream} is one. */
  @FunctionalInterface
  public interface ResourceOpener {
    /** The resource's content, or null if there is none of that name. */
    @Nullable InputStream open(String name);
  }

  /** Where an image is looked for on a device, best first. */
  private interface Places {
    List<ImageSource> on(String binaries, List<Path> folders);
  }

  private final String name;
  private final String sha256;
  private final Places places;

  private KernelImage(String name, String sha256, Places places) {
    this.name = name;
    this.sha256 = sha256;
    this.places = places;
  }

  /**
   * An image that lies in a folder of the runtime's options or on the class path, read when it is
   * first used; at most 16 MiB of it.
   *
   * @param name the resource's name from the root of the class path, without a leading slash
   * @param opener opens it; a method reference of the class that wants it, so that its class loader
   *     and module decide
   */
  public static KernelImage resource(String name, ResourceOpener opener) {
    return resource(name, "", opener);
  }

  /**
   * An image like that of {@link #resource(String, ResourceOpener)} which the compiler has compared
   * with its interface. The file that it saw is not compared again; any other is, when it is
   * loaded.
   *
   * @param sha256 of the file that the compiler saw, in lower-case hexadecimal digits
   */
  public static KernelImage resource(String name, String sha256, ResourceOpener opener) {
    return new KernelImage(
        name,
        sha256,
        (binaries, folders) -> {
          List<String> files =
              binaries.isEmpty() ? List.of(name) : List.of(binary(name, binaries), name);
          List<ImageSource> sources = new ArrayList<>();
          for (Path folder : folders) {
            files.forEach(file -> sources.add(new ImageSource.InFolder(folder, file)));
          }
          files.forEach(file -> sources.add(new ImageSource.Resource(file, opener)));
          return sources;
        });
  }

  /** An image that is at hand. The bytes are copied. */
  public static KernelImage of(String name, byte[] bytes) {
    ImageSource source = new ImageSource.InMemory(name, bytes);
    return new KernelImage(name, "", (binaries, folders) -> List.of(source));
  }

  /**
   * What tells one file from another.
   *
   * @return the SHA-256 of a file, in lower-case hexadecimal digits
   */
  public static String sha256(byte[] file) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** What errors call it. */
  public String name() {
    return name;
  }

  /** The hash of the file that was compared with the interface; empty if none was. */
  String sha256() {
    return sha256;
  }

  /**
   * Where it is looked for, best first.
   *
   * @param binaries the architecture of binaries that are wanted, as nvcc calls it, {@code sm_90};
   *     empty for none
   * @param folders where it is looked for before the class path
   */
  List<ImageSource> sources(String binaries, List<Path> folders) {
    return places.on(binaries, folders);
  }

  private static String binary(String name, String architecture) {
    int dot = name.lastIndexOf('.');
    String stem = dot > name.lastIndexOf('/') ? name.substring(0, dot) : name;
    return stem + "." + architecture + ".cubin";
  }

  @Override
  public String toString() {
    return name;
  }
}
