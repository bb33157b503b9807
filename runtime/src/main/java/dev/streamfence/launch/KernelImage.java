package dev.streamfence.launch;

import dev.streamfence.internal.ptx.syntax.CodeLimits;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The device code of one kernel module: PTX text or a binary, and its name in errors. Identity
 * matters: a runtime loads one image object once. Immutable and thread-safe.
 */
public final class KernelImage {
  /** The size of the largest file that is read, in bytes: more than any kernels need. */
  public static final int MAX_BYTES = CodeLimits.FILE_BYTES;

  /** Opens a resource by name, such as {@code SomeClass.class::getResourceAsStream}. */
  @FunctionalInterface
  public interface ResourceOpener {
    /** Returns the resource's content, or null if there is no resource of that name. */
    @Nullable InputStream open(String name);
  }

  /** The places that may hold an image for a device, best first. */
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
   * An image like {@link #resource(String, ResourceOpener)}, which the compiler has compared with
   * its interface. The file that the compiler saw is not compared again; any other file is compared
   * when it is loaded.
   *
   * @param sha256 the hash of the file that the compiler saw, in lower-case hexadecimal digits
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

  /** An image from bytes in memory, which are copied. */
  public static KernelImage of(String name, byte[] bytes) {
    ImageSource source = new ImageSource.InMemory(name, bytes);
    return new KernelImage(name, "", (binaries, folders) -> List.of(source));
  }

  /**
   * Hashes a file.
   *
   * @return its SHA-256, in lower-case hexadecimal digits
   */
  public static String sha256(byte[] file) {
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
  String sha256() {
    return sha256;
  }

  /**
   * The places that may hold the image, best first.
   *
   * @param binaries the architecture of the binaries to include, in nvcc's spelling, such as {@code
   *     sm_90}; empty for none
   * @param folders folders to search before the class path
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
