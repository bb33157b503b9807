package dev.streamfence.internal.launch;

import dev.streamfence.KernelLoadException;
import dev.streamfence.launch.KernelImage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One place that may hold an image. Immutable. */
sealed interface ImageSource {
  /**
   * The size of the largest file that is read: more than any kernels need, and the compiler's
   * limit.
   */
  int MAX_BYTES = KernelImage.MAX_BYTES;

  /** The source's name in errors. */
  String name();

  /**
   * The places that may hold an image, best first.
   *
   * @param binaries the architecture of the binaries to include, in nvcc's spelling, such as {@code
   *     sm_90}; empty for none
   * @param folders folders to search before the class path
   */
  static List<ImageSource> of(KernelImage image, String binaries, List<Path> folders) {
    String name = image.name();
    Optional<KernelImage.ResourceOpener> opener = image.opener();
    if (opener.isEmpty()) {
      return List.of(new GivenBytes(name, image.bytes()));
    }
    List<String> files = binaries.isEmpty() ? List.of(name) : List.of(binary(name, binaries), name);
    List<ImageSource> sources = new ArrayList<>();
    for (Path folder : folders) {
      files.forEach(file -> sources.add(new InFolder(folder, file)));
    }
    files.forEach(file -> sources.add(new Resource(file, opener.get())));
    return sources;
  }

  private static String binary(String name, String architecture) {
    return stem(name) + "." + architecture + ".cubin";
  }

  private static String stem(String name) {
    int dot = name.lastIndexOf('.');
    return dot > name.lastIndexOf('/') ? name.substring(0, dot) : name;
  }

  /**
   * The current content, which must not be modified; empty if there is none.
   *
   * @throws KernelLoadException if it cannot be read, is a file or resource of more than {@link
   *     #MAX_BYTES}, or is empty
   */
  Optional<byte[]> read();

  /** The place of a CUDA source of the same name beside it; empty if it has no place. */
  Optional<ImageSource> cudaSource();

  /** Bytes that the caller passed. */
  final class GivenBytes implements ImageSource {
    private final String name;
    private final byte[] bytes;

    GivenBytes(String name, byte[] bytes) {
      this.name = name;
      this.bytes = bytes.clone();
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Optional<byte[]> read() {
      return Optional.of(content(name, bytes));
    }

    @Override
    public Optional<ImageSource> cudaSource() {
      return Optional.empty();
    }
  }

  /** A resource on the class path. */
  record Resource(String name, KernelImage.ResourceOpener opener) implements ImageSource {
    @Override
    public Optional<byte[]> read() {
      try (InputStream stream = opener.open("/" + name)) {
        return stream == null ? Optional.empty() : Optional.of(content(name, stream));
      } catch (IOException e) {
        throw unreadable(name, e);
      }
    }

    @Override
    public Optional<ImageSource> cudaSource() {
      return Optional.of(new Resource(stem(name) + ".cu", opener));
    }
  }

  /** A file in a folder of the runtime's options. */
  record InFolder(Path folder, String file) implements ImageSource {
    @Override
    public String name() {
      return folder.resolve(file).toString();
    }

    /** Whether a file is where a folder should be; JDKs report that in different ways. */
    private static boolean isBehindAFile(Path path) {
      Path around = path.getParent();
      while (around != null && !Files.exists(around)) {
        around = around.getParent();
      }
      return around != null && !Files.isDirectory(around);
    }

    @Override
    public Optional<byte[]> read() {
      Path path = folder.resolve(file);
      try {
        // A link to nothing is a broken file, not a missing one.
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        // A link may lead anywhere; code comes only from the folder that was named.
        Path real = path.toRealPath();
        if (!real.startsWith(folder.toRealPath())) {
          throw new KernelLoadException(
              name(), "it lies outside of " + folder + "; put the file itself there", "", null);
        }
        if (!Files.isRegularFile(real)) {
          // Reading a pipe would wait for a writer.
          throw new KernelLoadException(
              name(), "it cannot be read; it is not a regular file", "", null);
        }
        long size = Files.size(real);
        if (size > MAX_BYTES) {
          throw tooLarge(name(), String.valueOf(size));
        }
        try (InputStream stream = Files.newInputStream(real)) {
          return Optional.of(content(name(), stream));
        }
      } catch (NoSuchFileException e) {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) || isBehindAFile(path)) {
          throw unreadable(name(), e);
        }
        return Optional.empty();
      } catch (IOException e) {
        throw unreadable(name(), e);
      }
    }

    @Override
    public Optional<ImageSource> cudaSource() {
      return Optional.of(new InFolder(folder, stem(file) + ".cu"));
    }
  }

  private static byte[] content(String name, InputStream stream) throws IOException {
    byte[] bytes = stream.readNBytes(MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) {
      throw tooLarge(name, "at least " + bytes.length);
    }
    return content(name, bytes);
  }

  private static byte[] content(String name, byte[] bytes) {
    if (bytes.length == 0) {
      throw new KernelLoadException(name, "it is empty", "", null);
    }
    return bytes;
  }

  private static KernelLoadException tooLarge(String name, String bytes) {
    return new KernelLoadException(
        name,
        "it has " + bytes + " bytes; at most " + MAX_BYTES + " are read; split the kernels up",
        "",
        null);
  }

  private static KernelLoadException unreadable(String name, IOException cause) {
    return new KernelLoadException(name, "it cannot be read; " + reason(cause), "", cause);
  }

  /** Why a file cannot be read, without its name, which the message of many errors is. */
  private static String reason(IOException cause) {
    if (cause instanceof NoSuchFileException) {
      return "it is a link to no file";
    }
    if (cause instanceof AccessDeniedException) {
      return "access is denied";
    }
    return cause instanceof FileSystemException described && described.getReason() != null
        ? described.getReason()
        : String.valueOf(cause.getMessage());
  }
}
