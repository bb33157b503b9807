package dev.streamfence.internal.host;

import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.RecordElement;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Turns the records of one class into the bytes that the device sees, and back. Calls the record's
 * accessors and its canonical constructor, which are code of the user: never inside a transfer.
 * Immutable.
 */
final class RecordCodec {
  /** Found once per class, as reflection is slow. */
  private static final ClassValue<RecordCodec> OF_CLASS =
      new ClassValue<>() {
        @Override
        protected RecordCodec computeValue(Class<?> type) {
          return new RecordCodec(type);
        }
      };

  private final RecordElement element;

  /** Each takes the record as an {@code Object}. */
  private final MethodHandle[] accessors;

  /** Takes the buffer and the index of the element's first byte, and returns the record. */
  private final MethodHandle reader;

  private RecordCodec(Class<?> type) {
    this.element = RecordElement.of(type);
    RecordComponent[] components = type.getRecordComponents();
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    this.accessors = new MethodHandle[components.length];
    Class<?>[] types = new Class<?>[components.length];
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        requireAccess(components[i].getAccessor(), type);
        accessors[i] =
            lookup
                .unreflect(components[i].getAccessor())
                .asType(MethodType.methodType(types[i], Object.class));
      }
      Constructor<?> constructor = type.getDeclaredConstructor(types);
      requireAccess(constructor, type);
      this.reader = reader(lookup, lookup.unreflectConstructor(constructor));
    } catch (NoSuchMethodException | IllegalAccessException e) {
      throw new LinkageError("a record has accessors and a canonical constructor", e);
    }
  }

  static RecordCodec of(Class<?> type) {
    return OF_CLASS.get(type);
  }

  private static void requireAccess(AccessibleObject member, Class<?> type) {
    if (!member.trySetAccessible()) {
      Module ours = RecordCodec.class.getModule();
      throw new IllegalArgumentException(
          "the records "
              + type.getTypeName()
              + " cannot be read or made: "
              + type.getModule()
              + " neither opens their package nor exports it with a public record; add \"opens "
              + type.getPackageName()
              + (ours.isNamed() ? " to " + ours.getName() : "")
              + ";\" to it");
    }
  }

  /** Reads each field where it lies, and passes all to the constructor. */
  private MethodHandle reader(MethodHandles.Lookup lookup, MethodHandle constructor)
      throws NoSuchMethodException, IllegalAccessException {
    List<ElementType> fields = element.fields();
    MethodHandle all = constructor;
    for (int i = fields.size() - 1; i >= 0; i--) {
      Class<?> type = fields.get(i).primitive();
      MethodHandle field =
          lookup.findStatic(
              RecordCodec.class,
              type + "At",
              MethodType.methodType(type, ByteBuffer.class, int.class, int.class));
      all =
          MethodHandles.collectArguments(
              all, i, MethodHandles.insertArguments(field, 2, element.offset(i)));
    }
    int[] order = new int[2 * fields.size()];
    for (int i = 0; i < order.length; i++) {
      order[i] = i % 2;
    }
    return MethodHandles.permuteArguments(
        all.asType(all.type().changeReturnType(Object.class)),
        MethodType.methodType(Object.class, ByteBuffer.class, int.class),
        order);
  }

  /** Writes the fields of a record at an index of a buffer in native order; not its padding. */
  void write(Object record, ByteBuffer buffer, int at) {
    try {
      for (int i = 0; i < accessors.length; i++) {
        write(element.fields().get(i), accessors[i], record, buffer, at + element.offset(i));
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("an accessor of " + record.getClass().getTypeName(), e);
    }
  }

  private static void write(
      ElementType type, MethodHandle accessor, Object record, ByteBuffer buffer, int at)
      throws Throwable {
    switch (type) {
      case BOOLEAN -> buffer.put(at, (byte) ((boolean) accessor.invokeExact(record) ? 1 : 0));
      case BYTE -> buffer.put(at, (byte) accessor.invokeExact(record));
      case CHAR -> buffer.putChar(at, (char) accessor.invokeExact(record));
      case SHORT -> buffer.putShort(at, (short) accessor.invokeExact(record));
      case INT -> buffer.putInt(at, (int) accessor.invokeExact(record));
      case LONG -> buffer.putLong(at, (long) accessor.invokeExact(record));
      case FLOAT -> buffer.putFloat(at, (float) accessor.invokeExact(record));
      case DOUBLE -> buffer.putDouble(at, (double) accessor.invokeExact(record));
    }
  }

  /** Makes the record at an index of a buffer in native order. */
  Object read(ByteBuffer buffer, int at) {
    try {
      return (Object) reader.invokeExact(buffer, at);
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(
          "the constructor of "
              + element.typeName()
              + " refused element "
              + at / element.sizeInBytes()
              + " of the downloaded range",
          e);
    }
  }

  @SuppressWarnings("UnusedMethod") // Each is found by the name of its type.
  private static boolean booleanAt(ByteBuffer buffer, int at, int offset) {
    return buffer.get(at + offset) != 0;
  }

  @SuppressWarnings("UnusedMethod")
  private static byte byteAt(ByteBuffer buffer, int at, int offset) {
    return buffer.get(at + offset);
  }

  @SuppressWarnings("UnusedMethod")
  private static char charAt(ByteBuffer buffer, int at, int offset) {
    return buffer.getChar(at + offset);
  }

  @SuppressWarnings("UnusedMethod")
  private static short shortAt(ByteBuffer buffer, int at, int offset) {
    return buffer.getShort(at + offset);
  }

  @SuppressWarnings("UnusedMethod")
  private static int intAt(ByteBuffer buffer, int at, int offset) {
    return buffer.getInt(at + offset);
  }

  @SuppressWarnings("UnusedMethod")
  private static long longAt(ByteBuffer buffer, int at, int offset) {
    return buffer.getLong(at + offset);
  }

  @SuppressWarnings("UnusedMethod")
  private static float floatAt(ByteBuffer buffer, int at, int offset) {
    return buffer.getFloat(at + offset);
  }

  @SuppressWarnings("UnusedMethod")
  private static double doubleAt(ByteBuffer buffer, int at, int offset) {
    return buffer.getDouble(at + offset);
  }
}
