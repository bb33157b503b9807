package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.dlpack.DlPack;
import dev.streamfence.column.dlpack.ExportedTensor;
import dev.streamfence.column.dlpack.ForeignTensor;
import dev.streamfence.column.dlpack.TensorConsumer;
import dev.streamfence.column.dlpack.TensorProducer;
import dev.streamfence.foreign.ForeignMemory;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the Python program in {@code src/bundle/peers} calls: the runtime, by numbers, so that a
 * caller in C needs no Java object. Thread-safe.
 */
final class Peers {
  /** The objects behind the numbers, for the whole process, since its callers are not in Java. */
  private static final ConcurrentMap<Long, Object> OBJECTS = new ConcurrentHashMap<>();

  private static final AtomicLong LAST = new AtomicLong();

  private Peers() {}

  /** Gives an object its number. */
  static long number(Object object) {
    long number = LAST.incrementAndGet();
    OBJECTS.put(number, object);
    return number;
  }

  /** The object of a number. */
  static <T> T object(long number, Class<T> type) {
    return type.cast(
        Objects.requireNonNull(OBJECTS.get(number), () -> "there is no object " + number));
  }

  private static DeviceStream stream(long number) {
    return object(number, DeviceStream.class);
  }

  static long open(long ordinal) {
    return number(DeviceRuntime.open(Math.toIntExact(ordinal)));
  }

  /** Closes any of the objects. */
  static long close(long number) throws Exception {
    object(number, AutoCloseable.class).close();
    OBJECTS.remove(number);
    return 0;
  }

  static long acquire(long runtime) {
    return number(object(runtime, DeviceRuntime.class).streams().acquire());
  }

  static long adoptStream(long runtime, long handle) {
    return number(object(runtime, DeviceRuntime.class).streams().adopt(handle));
  }

  static long handle(long stream) {
    long[] handle = new long[1];
    stream(stream).submit("handle", uses -> {}, call -> handle[0] = call.streamHandle());
    return handle[0];
  }

  static long synchronize(long stream) {
    stream(stream).synchronize();
    return 0;
  }

  /** How many bytes of others are adopted, and not given back. */
  static long adoptedBytes(long runtime) {
    return object(runtime, DeviceRuntime.class).memory().statistics().adoptedBytes();
  }

  static long allocate(long stream, long length) {
    DeviceStream on = stream(stream);
    return number(on.runtime().memory().allocateZeroed(on, float[].class, length));
  }

  static long fill(long stream, long array, long value) {
    floats(array).fill(stream(stream), value);
    return 0;
  }

  /** Queues {@code target = factor × source}, in a kernel that first runs for some time. */
  static long scale(long stream, long source, long target, long factor, long cycles) {
    DeviceArray<float[]> written = floats(target);
    PeerKernelsLauncher.on(stream(stream))
        .scaleLate(readable(source), written, factor, cycles, Math.toIntExact(written.length()));
    return 0;
  }

  /** How many elements are another number. Waits for the stream. */
  static long wrong(long stream, long array, long expected) {
    int wrong = 0;
    for (float value : readable(array).download(stream(stream))) {
      wrong += value == expected ? 0 : 1;
    }
    return wrong;
  }

  @SuppressWarnings("unchecked")
  private static DeviceArray<float[]> floats(long number) {
    return object(number, DeviceArray.class);
  }

  @SuppressWarnings("unchecked")
  private static ReadableArray<float[]> readable(long number) {
    return object(number, ReadableArray.class);
  }

  /**
   * Adopts a tensor of floats.
   *
   * @param isVersioned 1 if it has the form of DLPack 1
   * @param order how its owner's work is ordered: 0 if it is done, 1 by a stream, 2 by an event
   * @param handle of that stream or event
   */
  static long adopt(long stream, long address, long isVersioned, long order, long handle) {
    return number(
        tensor(address, isVersioned).adopt(stream(stream), float[].class, producer(order, handle)));
  }

  /** Adopts a tensor of floats like {@link #adopt}, to read it. */
  static long adoptReadable(long stream, long address, long isVersioned, long order, long handle) {
    return number(
        tensor(address, isVersioned)
            .adoptReadable(stream(stream), float[].class, producer(order, handle)));
  }

  /** Adopts floats whose owner may free them at any time, and whose work on them is done. */
  static long adoptMemory(long stream, long address, long length) {
    DeviceStream on = stream(stream);
    ForeignMemory memory = ForeignMemory.at(address, Float.BYTES * length).alreadyReady();
    return number(on.runtime().memory().adopt(on, memory, float[].class));
  }

  private static ForeignTensor tensor(long address, long isVersioned) {
    return isVersioned == 1 ? DlPack.versionedTensor(address) : DlPack.tensor(address);
  }

  private static TensorProducer producer(long order, long handle) {
    return switch (Math.toIntExact(order)) {
      case 0 -> TensorProducer.done();
      case 1 -> TensorProducer.onStream(handle);
      case 2 -> TensorProducer.afterEvent(handle);
      default -> throw new IllegalArgumentException("order " + order);
    };
  }

  /**
   * Exports an array as a tensor.
   *
   * @param consumer the stream of the consumer, as Python's protocol has it
   * @param major the version of DLPack that it understands; 0 for the legacy form
   * @param minor the rest of that version
   * @return the address of the structure, which is of the form that the consumer understands
   */
  static long export(long array, long consumer, long major, long minor) {
    TensorConsumer who =
        TensorConsumer.onStream(consumer)
            .understanding(Math.toIntExact(major), Math.toIntExact(minor));
    ExportedTensor tensor = DlPack.export(readable(array), who);
    if (tensor.isVersioned() != major >= 1) {
      throw new IllegalStateException("a tensor of the wrong form for version " + major);
    }
    return tensor.handOver();
  }
}
