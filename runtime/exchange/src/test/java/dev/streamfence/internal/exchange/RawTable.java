package dev.streamfence.internal.exchange;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ArrowFormat.ValueKind;
import dev.streamfence.internal.exchange.ArrowLayout.OfArray;
import dev.streamfence.internal.exchange.ArrowLayout.OfDeviceArray;
import dev.streamfence.internal.exchange.ArrowLayout.OfSchema;
import java.util.List;
import java.util.Map;

/**
 * A table of four rows in native memory whose fields a test sets to anything: {@code int32 a},
 * {@code utf8 b}, and {@code c}, a text by its number in a dictionary.
 */
final class RawTable implements AutoCloseable {
  private static final int A = 0;
  private static final int B = 1;
  private static final int C = 2;

  private final Memory schema = new Memory(OfSchema.BYTES);
  private final Memory array = new Memory(OfDeviceArray.BYTES);
  private final Memory pristine = new Memory(OfDeviceArray.BYTES);

  // Found before a test changes the pointers to them.
  private final List<Pointer> schemaChildren;
  private final List<Pointer> children;

  RawTable() {
    SchemaNode text =
        new SchemaNode("", ArrowFormat.of(ValueKind.UTF8, 0), 0, Map.of(), List.of(), null);
    SchemaExport.write(
        struct(
            new SchemaNode(
                "a", ArrowFormat.of(ValueKind.INT, 32), 2, Map.of("k", "v"), List.of(), null),
            new SchemaNode("b", ArrowFormat.of(ValueKind.UTF8, 0), 2, Map.of(), List.of(), null),
            new SchemaNode("c", ArrowFormat.of(ValueKind.INT, 16), 0, Map.of(), List.of(), text)),
        Pointer.nativeValue(schema));
    ArrayNode texts = new ArrayNode(4, 0, 0, List.of(0L, 0x20_0000L, 0x30_0000L), List.of(), null);
    ArrayNode top =
        new ArrayNode(
            4,
            0,
            0,
            List.of(0L),
            List.of(
                new ArrayNode(4, 0, 0, List.of(0L, 0x10_0000L), List.of(), null),
                texts,
                new ArrayNode(4, 0, 0, List.of(0L, 0x40_0000L), List.of(), texts)),
            null);
    ArrayExport.write(
        new DeviceArrayNode(top, new DeviceTag(DeviceTag.CUDA, 0), 99),
        Pointer.nativeValue(array),
        this,
        () -> {});
    pristine.write(0, array.getByteArray(0, OfDeviceArray.BYTES), 0, OfDeviceArray.BYTES);
    schemaChildren = List.of(schema.getPointer(OfSchema.CHILDREN).getPointerArray(0, 3));
    children = List.of(array.getPointer(OfArray.CHILDREN).getPointerArray(0, 3));
  }

  static SchemaNode struct(SchemaNode... fields) {
    return new SchemaNode(
        "", ArrowFormat.of(ValueKind.STRUCT, 0), 0, Map.of(), List.of(fields), null);
  }

  Pointer schema() {
    return schema;
  }

  Pointer schemaOfA() {
    return schemaChild(A);
  }

  Pointer schemaOfB() {
    return schemaChild(B);
  }

  Pointer schemaOfC() {
    return schemaChild(C);
  }

  private Pointer schemaChild(int index) {
    return schemaChildren.get(index);
  }

  Pointer array() {
    return array;
  }

  Pointer a() {
    return child(A);
  }

  Pointer b() {
    return child(B);
  }

  Pointer c() {
    return child(C);
  }

  private Pointer child(int index) {
    return children.get(index);
  }

  /** Sets the address of a buffer of a structure. */
  static void buffer(Pointer structure, int index, long address) {
    structure.getPointer(OfArray.BUFFERS).setLong((long) index * Long.BYTES, address);
  }

  DeviceArrayNode read() {
    return DeviceArrayNode.read(
        Pointer.nativeValue(array), SchemaNode.read(Pointer.nativeValue(schema)));
  }

  /** How an error names the array. */
  String arrayName() {
    return "the array at " + NativeAddress.hex(Pointer.nativeValue(array));
  }

  /** How an error names the schema. */
  String schemaName() {
    return "the schema at " + NativeAddress.hex(Pointer.nativeValue(schema));
  }

  /** Releases it: that needs nothing that a test changes, but for the number and the function. */
  @Override
  public void close() {
    for (int field : new int[] {OfArray.RELEASE, OfArray.PRIVATE}) {
      array.setLong(field, pristine.getLong(field));
    }
    ArrowImport.releaseArray(Pointer.nativeValue(array));
    ArrowImport.releaseSchema(Pointer.nativeValue(schema));
  }
}
