package dev.streamfence.internal.device;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The few methods of {@code java.lang.foreign} that tests use, by method handles: the tests are
 * compiled for a Java without them. The product itself uses none.
 */
final class Segments {
  /** An arena of any kind. */
  static final class Arena implements AutoCloseable {
    private final Object arena;

    private Arena(String kind) {
      arena = invoke(type("Arena"), kind, MethodType.methodType(type("Arena")), null);
    }

    static Arena confined() {
      return new Arena("ofConfined");
    }

    static Arena shared() {
      return new Arena("ofShared");
    }

    /** A new segment. */
    Object allocate(long bytes, long alignment) {
      return invoke(
          type("Arena"),
          "allocate",
          MethodType.methodType(type("MemorySegment"), long.class, long.class),
          arena,
          bytes,
          alignment);
    }

    /** A segment over a new file, whose pages take no memory until they are touched. */
    Object map(Path file, long bytes) {
      try (FileChannel channel =
          FileChannel.open(
              file,
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.SPARSE)) {
        return invoke(
            FileChannel.class,
            "map",
            MethodType.methodType(
                type("MemorySegment"),
                FileChannel.MapMode.class,
                long.class,
                long.class,
                type("Arena")),
            channel,
            FileChannel.MapMode.READ_WRITE,
            0L,
            bytes,
            arena);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      invoke(type("Arena"), "close", MethodType.methodType(void.class), arena);
    }
  }

  private Segments() {}

  static ByteBuffer asByteBuffer(Object segment) {
    return (ByteBuffer)
        invoke(
            type("MemorySegment"),
            "asByteBuffer",
            MethodType.methodType(ByteBuffer.class),
            segment);
  }

  static Object asSlice(Object segment, long offset, long bytes) {
    return invoke(
        type("MemorySegment"),
        "asSlice",
        MethodType.methodType(type("MemorySegment"), long.class, long.class),
        segment,
        offset,
        bytes);
  }

  static Object asReadOnly(Object segment) {
    return invoke(
        type("MemorySegment"), "asReadOnly", MethodType.methodType(type("MemorySegment")), segment);
  }

  /** The segment of a Java array. */
  static Object ofArray(Object array) {
    return invoke(
        type("MemorySegment"),
        "ofArray",
        MethodType.methodType(type("MemorySegment"), array.getClass()),
        null,
        array);
  }

  static Object ofBuffer(Buffer buffer) {
    return invoke(
        type("MemorySegment"),
        "ofBuffer",
        MethodType.methodType(type("MemorySegment"), Buffer.class),
        null,
        buffer);
  }

  /** Copies all bytes of a segment to another one. */
  static void copy(Object from, Object to) {
    invoke(
        type("MemorySegment"),
        "copyFrom",
        MethodType.methodType(type("MemorySegment"), type("MemorySegment")),
        to,
        from);
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName("java.lang.foreign." + name);
    } catch (ClassNotFoundException e) {
      throw new AssertionError("this test needs Java 22", e);
    }
  }

  /** Calls a method: a static one if there is no receiver. */
  private static Object invoke(
      Class<?> owner, String name, MethodType type, Object receiver, Object... arguments) {
    try {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      MethodHandle method =
          receiver == null
              ? lookup.findStatic(owner, name, type)
              : lookup.findVirtual(owner, name, type).bindTo(receiver);
      return method.invokeWithArguments(arguments);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
