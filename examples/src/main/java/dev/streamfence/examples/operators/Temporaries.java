package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceStream;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What an operator, or a query of several operators, makes on its way. The end closes all of it, in
 * the reverse order, except what was {@linkplain #handOver handed over}. Confined to one thread.
 */
public final class Temporaries implements AutoCloseable {
  private final DeviceStream stream;
  private final DeviceMemory memory;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /**
   * Without anything to close.
   *
   * @param stream allocates the arrays, and copies to them
   */
  public Temporaries(DeviceStream stream) {
    this.stream = stream;
    this.memory = stream.runtime().memory();
  }

  /** Allocates an array with undefined values. */
  <A> DeviceArray<A> array(Class<A> type, long length) {
    return add(memory.allocate(stream, type, length));
  }

  /** Allocates an array of zeros. */
  <A> DeviceArray<A> zeros(Class<A> type, long length) {
    return add(memory.allocateZeroed(stream, type, length));
  }

  /** Uploads an array. */
  <A> DeviceArray<A> upload(A values) {
    return add(memory.upload(stream, values));
  }

  /** Takes over something to close. */
  public <T extends AutoCloseable> T add(T resource) {
    open.push(resource);
    return resource;
  }

  /** Leaves something to the caller. */
  public <T extends AutoCloseable> T handOver(T resource) {
    open.removeIf(each -> each == resource);
    return resource;
  }

  @Override
  public void close() {
    RuntimeException first = null;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        RuntimeException failure =
            e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
        if (first == null) {
          first = failure;
        } else {
          first.addSuppressed(failure);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
