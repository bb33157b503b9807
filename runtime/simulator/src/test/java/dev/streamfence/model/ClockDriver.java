package dev.streamfence.model;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DriverCalls;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.simulation.DriverCall;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.ExceptionMethod;

/**
 * A driver that runs nothing: streams and events are vector clocks, and a {@link Cell} detects two
 * conflicting uses without an order. It is small, so that a controlled scheduler can explore it.
 * Thread-safe by one lock.
 */
public abstract class ClockDriver implements CudaDriver {
  static final int STREAMS = 4;

  private static final Constructor<? extends ClockDriver> CONSTRUCTOR = withOtherCallsRefused();

  /**
   * The calls of all drivers: the checker looks through the objects that a test has made at every
   * access to one of them, and a driver's own calls would be more than a hundred.
   */
  private static final DriverCalls CALLS = new DriverCalls();

  /** Of events that were not recorded, which all share it for the same reason. */
  private static final long[] UNRECORDED = new long[STREAMS];

  private final long[] done = new long[STREAMS];
  private int streams;
  private int live;
  private StreamHandle failing;
  private int failingWait;
  private final Trace trace = new Trace();
  private final StickyError sticky = new StickyError();

  /** A driver without streams and events; it refuses the calls that have no method here. */
  public static ClockDriver create() {
    try {
      return CONSTRUCTOR.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Constructor<? extends ClockDriver> withOtherCallsRefused() {
    try (DynamicType.Unloaded<ClockDriver> type =
        new ByteBuddy()
            .subclass(ClockDriver.class)
            .method(isAbstract())
            .intercept(ExceptionMethod.throwing(UnsupportedOperationException.class))
            .make()) {
      return type.load(
              ClockDriver.class.getClassLoader(),
              ClassLoadingStrategy.UsingLookup.of(MethodHandles.lookup()))
          .getLoaded()
          .getDeclaredConstructor();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public ContextHandle context() {
    return new ContextHandle() {};
  }

  @Override
  public boolean isPeer(ContextHandle other) {
    return false;
  }

  /** A stream: the position on each other stream that comes before its next operation. */
  private static final class Stream implements StreamHandle {
    private final int index;
    private final long[] clock = new long[STREAMS];

    private Stream(int index) {
      this.index = index;
    }
  }

  /** An event: its stream's clock when it was recorded last. */
  private static final class Event implements EventHandle {
    private long[] clock = UNRECORDED;
    private int stream;
    private int recording;
  }

  /** Memory that is used: its last write, the reads since, and whether it is free. */
  public final class Cell {
    private int writer;
    private long write;
    private final long[] reads = new long[STREAMS];
    private boolean freed;

    /** Queues an operation that uses this memory. */
    public void use(StreamHandle handle, boolean writes) {
      synchronized (ClockDriver.this) {
        Stream stream = (Stream) handle;
        require(!freed, "used after it was freed");
        requireOrdered(stream, writer, write);
        long operation = ++stream.clock[stream.index];
        if (!writes) {
          reads[stream.index] = operation;
          return;
        }
        for (int i = 0; i < STREAMS; i++) {
          requireOrdered(stream, i, reads[i]);
          reads[i] = 0;
        }
        writer = stream.index;
        write = operation;
      }
    }

    /** Queues the end of this memory. */
    public void free(StreamHandle stream) {
      synchronized (ClockDriver.this) {
        enqueue(stream);
        use(stream, true);
        freed = true;
      }
    }

    /** Whether it was freed. */
    public boolean isFreed() {
      synchronized (ClockDriver.this) {
        return freed;
      }
    }

    private void requireOrdered(Stream stream, int other, long operation) {
      require(
          other == stream.index || Math.max(stream.clock[other], done[other]) >= operation,
          "used on stream " + stream.index + " before operation " + operation + " of " + other);
    }
  }

  /** Queues an operation; the uses of memory follow. */
  public synchronized void enqueue(StreamHandle stream) {
    trace.enqueued(((Stream) stream).index);
  }

  @Override
  public DriverCalls calls() {
    return CALLS;
  }

  @Override
  public StickyError sticky() {
    return sticky;
  }

  /** The calls so far, in the order in which they were made. */
  synchronized Trace trace() {
    return trace;
  }

  /** Objects that exist. */
  public synchronized int live() {
    return live;
  }

  /** Makes the next wait fail. */
  public synchronized void failNextWait() {
    failing = null;
    failingWait = 1;
  }

  /** Makes the n-th wait from now of one stream fail; 1 is the next. */
  synchronized void failWait(StreamHandle stream, int nth) {
    failing = stream;
    failingWait = nth;
  }

  @Override
  public synchronized StreamHandle createStream(int priority) {
    CALLS.begin(DriverCall.CREATE_STREAM);
    live++;
    return new Stream(streams++);
  }

  @Override
  public synchronized void destroyStream(StreamHandle stream) {
    CALLS.begin(DriverCall.DESTROY_STREAM);
    live--;
  }

  @Override
  public synchronized void synchronizeStream(StreamHandle stream) {
    CALLS.begin(DriverCall.SYNCHRONIZE_STREAM);
    merge(done, ((Stream) stream).clock);
    trace.synchronizedStream(((Stream) stream).index);
  }

  @Override
  public synchronized boolean isStreamIdle(StreamHandle stream) {
    CALLS.begin(DriverCall.IS_STREAM_IDLE);
    synchronizeStream(stream);
    return true;
  }

  @Override
  public synchronized void waitForEvent(StreamHandle stream, EventHandle event) {
    CALLS.begin(DriverCall.WAIT_FOR_EVENT);
    boolean planned = failing == null || failing == stream;
    if (planned && failingWait > 0 && --failingWait == 0) {
      throw new CudaDriverException(
          DriverCall.WAIT_FOR_EVENT.function(), 1, "CUDA_ERROR_INVALID_VALUE");
    }
    merge(((Stream) stream).clock, ((Event) event).clock);
    Event awaited = (Event) event;
    trace.waited(((Stream) stream).index, awaited.stream, awaited.recording);
  }

  @Override
  public synchronized EventHandle createEvent() {
    CALLS.begin(DriverCall.CREATE_EVENT);
    live++;
    return new Event();
  }

  @Override
  public synchronized void destroyEvent(EventHandle event) {
    CALLS.begin(DriverCall.DESTROY_EVENT);
    live--;
  }

  @Override
  public synchronized void recordEvent(EventHandle event, StreamHandle stream) {
    CALLS.begin(DriverCall.RECORD_EVENT);
    Event recorded = (Event) event;
    recorded.clock = ((Stream) stream).clock.clone();
    recorded.stream = ((Stream) stream).index;
    recorded.recording = trace.recorded(recorded.stream);
  }

  @Override
  public synchronized void synchronizeEvent(EventHandle event) {
    CALLS.begin(DriverCall.SYNCHRONIZE_EVENT);
    Event awaited = (Event) event;
    merge(done, awaited.clock);
    trace.hostWaited(awaited.stream, awaited.recording);
  }

  @Override
  public synchronized boolean isEventComplete(EventHandle event) {
    CALLS.begin(DriverCall.IS_EVENT_COMPLETE);
    return false;
  }

  @Override
  public synchronized long deviceAddress(HostMemory memory) {
    CALLS.begin(DriverCall.HOST_DEVICE_ADDRESS);
    return memory.address();
  }

  @Override
  public synchronized HostMemory allocateHost(long bytes) {
    CALLS.begin(DriverCall.ALLOCATE_HOST);
    live++;
    return new HostMemory() {
      @Override
      public long address() {
        return 0;
      }

      @Override
      public long sizeInBytes() {
        return bytes;
      }

      @Override
      public ByteBuffer buffer() {
        throw new UnsupportedOperationException();
      }

      @Override
      public ByteBuffer readOnlyBuffer() {
        throw new UnsupportedOperationException();
      }

      @Override
      public HostMemory slice(long offset, long length) {
        throw new UnsupportedOperationException();
      }
    };
  }

  @Override
  public synchronized void freeHost(HostMemory memory) {
    CALLS.begin(DriverCall.FREE_HOST);
    live--;
  }

  @Override
  public void close() {}

  private static void merge(long[] into, long[] from) {
    for (int i = 0; i < STREAMS; i++) {
      into[i] = Math.max(into[i], from[i]);
    }
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise);
    }
  }
}
