package dev.streamfence.launch;

import dev.streamfence.KernelLoadException;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The device code of one kernel module: PTX text or a binary, and the name that errors call it.
 * Identity matters: a runtime loads one image object once. Immutable and thread-safe.
 */
public final class KernelImage {
  /** Opens a resource by name; {@code SomeClass.class::getResourceAsStream} is one. */
  @FunctionalInterface
  public interface ResourceOpener {
    /** The resource's content, or null if there is none of that name. */
    @Nullable InputStream open(String name);
  }

  /** What the image's bytes come from. */
  private interface Content {
    byte[] read();
  }

  private final String name;
  private final Content content;

  private KernelImage(String name, Content content) {
    this.name = name;
    this.content = content;
  }

  /**
   * An image that lies on the class path. It is read when it is first loaded on a device.
   *
   * @param name the resource's name from the root of the class path, without a leading slash
   * @param opener opens it; a method reference of the class that wants it, so that its class loader
   *     and module decide
   */
  public static KernelImage resource(String name, ResourceOpener opener) {
    return new KernelImage(name, () -> read(name, opener));
  }

  /** An image that is at hand. The bytes are copied. */
  public static KernelImage of(String name, byte[] bytes) {
    byte[] copy = bytes.clone();
    return new KernelImage(name, copy::clone);
  }

  /** What errors call it. */
  public String name() {
    return name;
  }

  /**
   * Its bytes, read anew.
   *
   * @throws KernelLoadException if the resource is missing, empty or cannot be read
   */
  public byte[] bytes() {
    return content.read();
  }

  private static byte[] read(String name, ResourceOpener opener) {
    try (InputStream stream = opener.open("/" + name)) {
      if (stream == null) {
        throw new KernelLoadException(
            name,
            "there is no such resource on the class path; the name counts from its root, and in a named module the "
                + "resource's package has to be open",
            "",
            null);
      }
      byte[] bytes = stream.readAllBytes();
      if (bytes.length == 0) {
        throw new KernelLoadException(name, "the resource is empty", "", null);
      }
      return bytes;
    } catch (IOException e) {
      throw new KernelLoadException(name, "the resource cannot be read: " + e.getMessage(), "", e);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
