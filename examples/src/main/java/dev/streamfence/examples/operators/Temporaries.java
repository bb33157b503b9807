package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

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

  /** How much there is to close, a mark for {@link #closeSince}. */
  int count() {
    return open.size();
  }

  /** Closes what was added since a mark, except some of it. */
  void closeSince(int mark, @Nullable Object... except) {
    Deque<AutoCloseable> kept = new ArrayDeque<>();
    try (Temporaries closed = new Temporaries(stream)) {
      while (open.size() > mark) {
        AutoCloseable latest = open.pop();
        boolean isKept = Arrays.stream(except).anyMatch(each -> each == latest);
        (isKept ? kept : closed.open).addLast(latest);
      }
      while (!kept.isEmpty()) {
        open.push(kept.removeLast());
      }
    }
  }

  /** Continues after a failure, also an {@link Error}, and throws the first one. */
  @Override
  public void close() {
    Throwable first = null;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception | Error e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first instanceof Error error) {
      throw error;
    }
    if (first instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (first != null) {
      throw new IllegalStateException(first);
    }
  }
}
