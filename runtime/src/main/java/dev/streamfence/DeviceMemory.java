package dev.streamfence;

import dev.streamfence.memory.Block;
import dev.streamfence.memory.MemoryResource;
import org.jspecify.annotations.Nullable;

/** Where the arrays of a runtime come from. Thread-safe. */
public final class DeviceMemory {
  private final DeviceRuntime runtime;
  private final MemoryResource resource;

  DeviceMemory(DeviceRuntime runtime, MemoryResource resource) {
    this.runtime = runtime;
    this.resource = resource;
  }

  /**
   * Allocates an array whose content is undefined, in the order of a stream. Does not synchronise
   * unless memory is short.
   *
   * @param arrayType the Java array type, such as {@code float[].class}
   * @param length how many elements; 0 takes no device memory
   * @throws IllegalArgumentException if the length is negative, too large to count in bytes, or the
   *     type is not an array of primitives
   * @throws OutOfMemoryBudgetException if there is not enough memory
   */
  public <A> DeviceArray<A> allocate(DeviceStream stream, Class<A> arrayType, long length) {
    ElementType elementType = ElementType.ofArray(arrayType);
    String what = elementType.primitive() + "[" + length + "]";
    if (length < 0) {
      throw new IllegalArgumentException(
          "an array of " + length + " elements; the length is at least 0");
    }
    if (length > Long.MAX_VALUE / elementType.sizeInBytes()) {
      throw new IllegalArgumentException(what + " has more bytes than a long counts");
    }
    if (stream.runtime() != runtime) {
      throw new StreamMisuseException(
          "allocation of "
              + what
              + " by "
              + runtime
              + " on "
              + stream
              + ": they belong to two runtimes");
    }
    @Nullable Block block =
        length == 0
            ? null
            : resource.allocate(length * elementType.sizeInBytes(), stream.timeline(), what);
    return new DeviceArray<>(runtime, arrayType, elementType, length, block);
  }

  /**
   * Allocates an array of zeros, like {@link #allocate} and a fill. Does not synchronise unless
   * memory is short.
   */
  public <A> DeviceArray<A> allocateZeroed(DeviceStream stream, Class<A> arrayType, long length) {
    DeviceArray<A> array = allocate(stream, arrayType, length);
    try {
      if (array.elementType() == ElementType.BOOLEAN) {
        array.fill(stream, false);
      } else {
        array.fill(stream, 0L);
      }
      return array;
    } catch (RuntimeException e) {
      array.closeAfter(e);
      throw e;
    }
  }

  /**
   * Allocates an array with the content of a host array, which may be changed as soon as this
   * returns. Synchronises only while memory is short.
   *
   * @throws IllegalArgumentException if {@code source} is not an array of primitives
   * @throws OutOfMemoryBudgetException if there is not enough memory
   */
  @SuppressWarnings("unchecked") // The class of an A is a Class<A>, which getClass cannot say.
  public <A> DeviceArray<A> upload(DeviceStream stream, A source) {
    DeviceArray<A> array = allocate(stream, (Class<A>) source.getClass(), hostLength(source));
    try {
      array.upload(stream, source);
      return array;
    } catch (RuntimeException e) {
      array.closeAfter(e);
      throw e;
    }
  }

  /** Bytes in open arrays, and in closed ones that may still be in use. */
  public long bytesOutstanding() {
    return resource.bytesOutstanding();
  }

  /**
   * Stops counting closed arrays that are known to be out of use. Does not synchronise.
   *
   * @return bytes that no longer count as outstanding
   */
  public long reap() {
    return resource.reap();
  }

  private static int hostLength(Object source) {
    ElementType.ofArray(source.getClass());
    return HostArray.length(source);
  }
}
