package dev.streamfence.internal.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.jna.Callback;
import com.sun.jna.CallbackReference;
import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ArrowFormat.ValueKind;
import dev.streamfence.internal.exchange.ArrowLayout.OfArray;
import dev.streamfence.internal.exchange.ArrowLayout.OfDeviceArray;
import dev.streamfence.internal.exchange.ArrowLayout.OfSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tables that a library in C makes, and that it takes. */
final class ArrowExchangeTest {
  /** As {@code make_table} of the library describes it. */
  private static final SchemaNode SCHEMA =
      struct(
          new SchemaNode(
              "number",
              ArrowFormat.of(ValueKind.INT, 32),
              SchemaNode.NULLABLE,
              Map.of(),
              List.of(),
              null),
          new SchemaNode("flag", ArrowFormat.of(ValueKind.INT, 8), 0, bool8(), List.of(), null),
          new SchemaNode(
              "",
              ArrowFormat.of(ValueKind.UINT, 8),
              SchemaNode.NULLABLE | SchemaNode.ORDERED,
              Map.of(),
              List.of(),
              new SchemaNode("", ArrowFormat.of(ValueKind.UTF8, 0), 0, Map.of(), List.of(), null)));

  private static CLibrary library;

  private final AtomicInteger released = new AtomicInteger();
  private final Memory schema = new Memory(OfSchema.BYTES);
  private final Memory array = new Memory(OfDeviceArray.BYTES);
  private final Memory numbers = new Memory(6 * Integer.BYTES);
  private final Memory validity = new Memory(8);
  private final Memory indices = new Memory(8);
  private final Memory offsets = new Memory(3 * Integer.BYTES);
  private final Memory text = new Memory(8);

  ArrowExchangeTest() {
    schema.clear();
    array.clear();
    numbers.write(0, new int[] {100, 200, 1, 2, 3, 4}, 0, 6);
    validity.setLong(0, 0b110111);
  }

  @BeforeAll
  static void compile() {
    library = CLibrary.load("arrays.c");
  }

  @Test
  void theTableOfALibraryIsRead() {
    make(DeviceTag.CUDA, 5, 0x7fff_0000_1234L);
    assertThat(SchemaNode.read(address(schema))).isEqualTo(SCHEMA);
    DeviceArrayNode read = DeviceArrayNode.read(address(array), SCHEMA);
    assertThat(read)
        .isEqualTo(new DeviceArrayNode(table(4, 1), new DeviceTag(2, 5), 0x7fff_0000_1234L));
    release();
  }

  @Test
  void aTreeIsReleasedWithItsLastStructureAndNotBeforeItIsBuilt() {
    SharedRelease lease = new SharedRelease(this, released::incrementAndGet);
    lease.begin();
    lease.end();
    lease.begin();
    lease.complete();
    assertThat(released).hasValue(0);
    lease.end();
    assertThat(released).hasValue(1);
  }

  @Test
  void theTableOfALibraryIsReleasedOnce() {
    make(DeviceTag.CUDA, 0, 0);
    assertThat(DeviceArrayNode.read(address(array), SCHEMA).event()).isZero();
    int before = library.callInt("released_arrays");
    ArrowImport moved = ArrowImport.move(address(array));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceArrayNode.read(address(array), SCHEMA))
        .withMessage(
            "the array at %s has been released or moved already",
            NativeAddress.hex(address(array)));
    ArrowImport.releaseArray(address(array));
    assertThat(library.callInt("released_arrays")).isEqualTo(before);
    IntStream.range(0, 4).parallel().forEach(thread -> moved.release());
    moved.giveBack();
    // The table, its three fields and a dictionary.
    assertThat(library.callInt("released_arrays")).isEqualTo(before + 5);
    release();
  }

  @Test
  void aTableThatIsGivenBackIsItsOwnersAgain() {
    make(DeviceTag.CUDA, 0, 0);
    int before = library.callInt("released_arrays");
    ArrowImport moved = ArrowImport.move(address(array));
    moved.giveBack();
    moved.release();
    assertThat(DeviceArrayNode.read(address(array), SCHEMA).array().length()).isEqualTo(3);
    assertThat(library.callInt("released_arrays")).isEqualTo(before);
    release();
    assertThat(library.callInt("released_arrays")).isEqualTo(before + 5);
  }

  @Test
  void theSchemaOfALibraryIsReleasedOnce() {
    make(DeviceTag.CUDA, 0, 0);
    int before = library.callInt("released_schemas");
    ArrowImport.releaseSchema(address(schema));
    ArrowImport.releaseSchema(address(schema));
    assertThat(library.callInt("released_schemas")).isEqualTo(before + 5);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SchemaNode.read(address(schema)))
        .withMessageContaining("has been released or moved already");
    release();
  }

  @Test
  void aLibraryReadsAnExportedSchema() {
    SchemaExport.write(SCHEMA, address(schema));
    assertThat(library.callInt("describes_table", schema)).isEqualTo(1);
    assertThat(SchemaNode.read(address(schema))).isEqualTo(SCHEMA);
    int open = Exports.open();
    assertThat(library.callInt("release_schema_here", schema)).isEqualTo(1);
    assertThat(Exports.open()).isEqualTo(open - 5);
  }

  @Test
  void aChildOfAnExportedSchemaOutlivesIt() {
    SchemaExport.write(SCHEMA, address(schema));
    Memory child = new Memory(OfSchema.BYTES);
    library.callInt("move_schema_child", schema, 1, child);
    ArrowImport.releaseSchema(address(schema));
    assertThat(SchemaNode.read(address(child))).isEqualTo(SCHEMA.children().get(1));
    int open = Exports.open();
    ArrowImport.releaseSchema(address(child));
    assertThat(Exports.open()).isEqualTo(open - 1);
  }

  @Test
  void aLibraryReadsAnExportedTableAndReleasesIt() {
    export(0);
    assertThat(library.callInt("sum_child", array, 0)).isEqualTo(1 + 3 + 4);
    assertThat(released).hasValue(0);
    assertThat(library.callInt("release_on_a_thread", array)).isEqualTo(1);
    assertThat(released).hasValue(1);
  }

  @Test
  void anExportedTableReadsAsWhatWasExported() {
    export(77);
    DeviceArrayNode read = DeviceArrayNode.read(address(array), SCHEMA);
    assertThat(read)
        .isEqualTo(new DeviceArrayNode(table(4, 1), new DeviceTag(DeviceTag.CPU, 0), 77));
    assertThat(ArrayExport.of(address(array), read)).isNotNull();
    assertThat(ArrayExport.of(address(array), read).source()).isSameAs(this);
    ArrowImport.releaseArray(address(array));
    assertThat(released).hasValue(1);
  }

  @Test
  void aChildOfAnExportedTableOutlivesIt() {
    export(0);
    Memory child = new Memory(OfArray.BYTES);
    library.callInt("move_child", array, 0, child);
    assertThat(library.callInt("release_on_a_thread", array)).isEqualTo(1);
    assertThat(released).hasValue(0);
    assertThat(library.callInt("sum_array", child)).isEqualTo(8);
    assertThat(library.callInt("release_on_a_thread", child)).isEqualTo(1);
    assertThat(released).hasValue(1);
  }

  @Test
  void anExportedTableIsReleasedOnceHoweverOftenTheFunctionIsCalled() {
    export(0);
    Pointer release = array.getPointer(OfArray.RELEASE);
    library.callInt("release_on_a_thread", array);
    library.callInt("release_again", array, release);
    assertThat(released).hasValue(1);
    assertThat(array.getLong(OfArray.RELEASE)).isZero();
  }

  @Test
  void anExportedTableWithClearedFieldsIsReleased() {
    int open = Exports.open();
    export(0);
    assertThat(library.callInt("release_cleared", array)).isEqualTo(1);
    assertThat(released).hasValue(1);
    assertThat(Exports.open()).isEqualTo(open);
  }

  @Test
  void anExportedTableThatWasChangedIsRefused() {
    export(0);
    String name = "the array at " + NativeAddress.hex(address(array));
    array.setLong(OfArray.LENGTH, 2);
    assertRefused(name + " has the length 2; it was exported with 3");
    array.setLong(OfArray.LENGTH, 3);
    Pointer flags = array.getPointer(OfArray.CHILDREN).getPointer(Long.BYTES);
    flags.getPointer(OfArray.BUFFERS).setPointer(Long.BYTES, text);
    assertRefused(
        "child 1 of %s has buffers at [0x0, %s]; it was exported with [0x0, %s]"
            .formatted(
                name, NativeAddress.hex(address(text)), NativeAddress.hex(address(validity))));
    flags.getPointer(OfArray.BUFFERS).setPointer(Long.BYTES, validity);
    array.setLong(OfDeviceArray.DEVICE_ID, 1);
    assertRefused(
        name
            + " has the device device 1 of type 1 (CPU); it was exported with device 0 of type 1"
            + " (CPU)");
    array.setLong(OfDeviceArray.DEVICE_ID, 0);
    array.setPointer(OfDeviceArray.SYNC_EVENT, numbers);
    assertRefused(name + " has the event " + numbers.getLong(0) + "; it was exported with 0");
    array.setPointer(OfDeviceArray.SYNC_EVENT, null);
    Pointer words = array.getPointer(OfArray.CHILDREN).getPointer(2L * Long.BYTES);
    words.getPointer(OfArray.DICTIONARY).setLong(OfArray.LENGTH, 1);
    assertRefused(
        "the dictionary of child 2 of " + name + " has the length 1; it was exported with 2");
    words.getPointer(OfArray.DICTIONARY).setLong(OfArray.LENGTH, 2);
    ArrowImport.releaseArray(address(array));
  }

  @Test
  void anExportedTableWithAnotherSchemaIsRefused() {
    export(0);
    String name = "the array at " + NativeAddress.hex(address(array));
    array.setLong(OfArray.CHILD_COUNT, 2);
    assertRefused(
        struct(SCHEMA.children().get(0), SCHEMA.children().get(1)),
        name + " has the number of children 2; it was exported with 3");
    array.setLong(OfArray.CHILD_COUNT, 3);
    Pointer words = array.getPointer(OfArray.CHILDREN).getPointer(2L * Long.BYTES);
    Pointer dictionary = words.getPointer(OfArray.DICTIONARY);
    words.setPointer(OfArray.DICTIONARY, null);
    assertRefused(
        struct(
            SCHEMA.children().get(0),
            SCHEMA.children().get(1),
            new SchemaNode("", ArrowFormat.of(ValueKind.UINT, 8), 0, Map.of(), List.of(), null)),
        "child 2 of " + name + " has a dictionary false; it was exported with true");
    words.setPointer(OfArray.DICTIONARY, dictionary);
    Pointer flags = array.getPointer(OfArray.CHILDREN).getPointer(Long.BYTES);
    flags.setPointer(OfArray.DICTIONARY, dictionary);
    assertRefused(
        struct(
            SCHEMA.children().get(0),
            new SchemaNode(
                "flag",
                ArrowFormat.of(ValueKind.INT, 8),
                0,
                Map.of(),
                List.of(),
                SCHEMA.children().get(2).dictionary()),
            SCHEMA.children().get(2)),
        "child 1 of " + name + " has a dictionary true; it was exported with false");
    flags.setPointer(OfArray.DICTIONARY, null);
    ArrowImport.releaseArray(address(array));
    assertThat(released).hasValue(1);
  }

  @Test
  void aReleaseFunctionThatForgetsToMarkItsStructureRunsOnce() {
    ReleaseFunction forgetful = structure -> released.incrementAndGet();
    array.setPointer(OfArray.RELEASE, CallbackReference.getFunctionPointer(forgetful));
    ArrowImport.releaseArray(address(array));
    ArrowImport.releaseArray(address(array));
    assertThat(released).hasValue(1);
  }

  /** The release function of another library. */
  private interface ReleaseFunction extends Callback {
    void release(Pointer structure);
  }

  private void assertRefused(String message) {
    assertRefused(SCHEMA, message);
  }

  private void assertRefused(SchemaNode as, String message) {
    DeviceArrayNode read = DeviceArrayNode.read(address(array), as);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ArrayExport.of(address(array), read))
        .withMessage(message);
  }

  @Test
  void theTableOfALibraryIsNoExport() {
    make(DeviceTag.CUDA, 0, 0);
    DeviceArrayNode read = DeviceArrayNode.read(address(array), SCHEMA);
    assertThat(ArrayExport.of(address(array), read)).isNull();
    release();
  }

  @Test
  void aTableWithoutColumnsIsExported() {
    ArrayNode empty = new ArrayNode(7, 0, 0, List.of(0L), List.of(), null);
    DeviceArrayNode device = new DeviceArrayNode(empty, new DeviceTag(DeviceTag.CUDA, 1), 0);
    ArrayExport.write(device, address(array), this, released::incrementAndGet);
    SchemaExport.write(struct(), address(schema));
    assertThat(DeviceArrayNode.read(address(array), SchemaNode.read(address(schema))))
        .isEqualTo(device);
    release();
    assertThat(released).hasValue(1);
  }

  @Test
  void anExportThatFailsHalfWayLeavesNothing() {
    SchemaNode broken =
        struct(
            SCHEMA.children().get(2),
            new SchemaNode("\0b", ArrowFormat.of(ValueKind.INT, 32), 0, Map.of(), List.of(), null));
    int open = Exports.open();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SchemaExport.write(broken, address(schema)))
        .withMessage("the text '\\0b' has a 0 in it, at which it would end in C");
    assertThat(Exports.open()).isEqualTo(open);
    assertThat(schema.getLong(OfSchema.RELEASE)).isZero();
  }

  private void make(int deviceType, long deviceId, long event) {
    library.callInt(
        "make_table",
        schema,
        array,
        numbers,
        validity,
        validity,
        indices,
        offsets,
        text,
        deviceType,
        deviceId,
        event);
  }

  private void export(long event) {
    ArrayExport.write(
        new DeviceArrayNode(table(4, 1), new DeviceTag(DeviceTag.CPU, 0), event),
        address(array),
        this,
        released::incrementAndGet);
  }

  /** What {@code make_table} makes of the buffers. */
  private ArrayNode table(long rows, long nulls) {
    ArrayNode dictionary =
        new ArrayNode(2, 0, 0, List.of(0L, address(offsets), address(text)), List.of(), null);
    return new ArrayNode(
        3,
        0,
        0,
        List.of(0L),
        List.of(
            new ArrayNode(
                rows, nulls, 2, List.of(address(validity), address(numbers)), List.of(), null),
            new ArrayNode(3, 0, 0, List.of(0L, address(validity)), List.of(), null),
            new ArrayNode(3, -1, 0, List.of(0L, address(indices)), List.of(), dictionary)),
        null);
  }

  private void release() {
    ArrowImport.releaseArray(address(array));
    ArrowImport.releaseSchema(address(schema));
  }

  private static SchemaNode struct(SchemaNode... fields) {
    return new SchemaNode(
        "", ArrowFormat.of(ValueKind.STRUCT, 0), 0, Map.of(), List.of(fields), null);
  }

  private static Map<String, String> bool8() {
    Map<String, String> metadata = new LinkedHashMap<>();
    metadata.put("ARROW:extension:name", "arrow.bool8");
    metadata.put("ARROW:extension:metadata", "");
    return metadata;
  }

  private static long address(Memory memory) {
    return Pointer.nativeValue(memory);
  }
}
