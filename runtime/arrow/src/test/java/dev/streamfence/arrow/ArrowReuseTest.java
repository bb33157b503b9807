package dev.streamfence.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceStream;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.DeviceTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.TransferPair;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Downloads into vectors of the caller: what they keep, and what is refused. */
final class ArrowReuseTest {
  private static final ArrowType INT32 = new ArrowType.Int(32, true);
  private static final Field NUMBERS = Vectors.nullable("i", INT32);
  private static final Field TEXT = Vectors.nullable("t", new ArrowType.Utf8());

  private final Allocations allocations = new Allocations();
  @RegisterExtension final ArrowDevice on = new ArrowDevice(allocations);
  private final BufferAllocator allocator = on.allocator;
  private final DeviceStream stream = on.stream;

  @Test
  void fewerAndMoreRowsTakeNoNewMemoryThatIsLargeEnough() {
    try (DeviceTable most = upload(NUMBERS, 1000, 0);
        DeviceTable few = upload(NUMBERS, 10, 3);
        DeviceTable more = upload(NUMBERS, 900, 7);
        VectorSchemaRoot root = ArrowTables.download(stream, allocator, most)) {
      int count = allocations.count();
      List<Long> addresses = addresses(root);
      for (DeviceTable each : List.of(few, more, most)) {
        ArrowTables.downloadInto(stream, each, root);
        assertThat(root).satisfies(holds(each));
      }
      assertThat(addresses(root)).isEqualTo(addresses);
      assertThat(allocations.count()).isEqualTo(count);
    }
  }

  @Test
  void vectorsThatAreTooSmallGetNewMemoryOfTheirAllocator() {
    try (BufferAllocator own = allocator.newChildAllocator("own", 0, Long.MAX_VALUE);
        DeviceTable few = upload(NUMBERS, 10, 3);
        DeviceTable most = upload(NUMBERS, 1000, 3);
        VectorSchemaRoot root = ArrowTables.download(stream, own, few)) {
      long before = own.getAllocatedMemory();
      ArrowTables.downloadInto(stream, most, root);
      assertThat(root).satisfies(holds(most));
      assertThat(own.getAllocatedMemory()).isGreaterThan(before);
    }
  }

  @Test
  void onlyTheBufferThatIsTooSmallIsReplaced() {
    try (VarCharVector small = Vectors.words("t", allocator, "a", "b", "c");
        VarCharVector large = Vectors.words("t", allocator, "a", "b", "c".repeat(100_000));
        DeviceTable one = ArrowTables.upload(stream, VectorSchemaRoot.of(small));
        DeviceTable two = ArrowTables.upload(stream, VectorSchemaRoot.of(large));
        VectorSchemaRoot root = ArrowTables.download(stream, allocator, one)) {
      List<Long> before = addresses(root);
      int count = allocations.count();
      ArrowTables.downloadInto(stream, two, root);
      assertThat(root).satisfies(holds(two));
      assertThat(addresses(root).subList(0, 2)).isEqualTo(before.subList(0, 2));
      assertThat(addresses(root).get(2)).isNotEqualTo(before.get(2));
      assertThat(allocations.count()).isEqualTo(count + 1);
    }
  }

  @Test
  void aColumnWithoutABitmapMakesEveryRowValid() {
    try (DeviceTable nulls = upload(NUMBERS, 100, 1);
        DeviceTable none = upload(NUMBERS, 99, 0);
        VectorSchemaRoot root = ArrowTables.download(stream, allocator, nulls)) {
      assertThat(root.getVector(0).getNullCount()).isEqualTo(100);
      ArrowTables.downloadInto(stream, none, root);
      assertThat(root.getVector(0).getNullCount()).isZero();
      assertThat(root.getVector(0).getValidityBuffer().getByte(12))
          .as("no 100th")
          .isEqualTo((byte) 7);
    }
  }

  @Test
  void aRootWithoutFieldsGetsTheRows() {
    VectorSchemaRoot seven = new VectorSchemaRoot(List.of(), List.of(), 7);
    VectorSchemaRoot root = new VectorSchemaRoot(List.of(), List.of(), 9);
    try (DeviceTable table = ArrowTables.upload(stream, seven)) {
      ArrowTables.downloadInto(stream, table, root);
      assertThat(root.getRowCount()).isEqualTo(7);
    }
  }

  @Test
  void aClosedRootIsFilledLikeANewOne() {
    try (DeviceTable table = upload(NUMBERS, 100, 3)) {
      VectorSchemaRoot root = ArrowTables.download(stream, allocator, table);
      root.close();
      ArrowTables.downloadInto(stream, table, root);
      assertThat(root).satisfies(holds(table));
      root.close();
    }
  }

  @Test
  void rowsThatWereTransferredStayAsTheyAre() {
    try (DeviceTable one = upload(TEXT, 10, 3);
        DeviceTable two = upload(TEXT, 9, 2);
        VectorSchemaRoot root = ArrowTables.download(stream, allocator, one)) {
      List<Object> rows = Vectors.rows(root.getVector(0));
      TransferPair pair = root.getVector(0).getTransferPair(allocator);
      pair.transfer();
      try (FieldVector kept = (FieldVector) pair.getTo()) {
        ArrowTables.downloadInto(stream, two, root);
        assertThat(Vectors.rows(kept)).isEqualTo(rows);
        assertThat(root).satisfies(holds(two));
      }
    }
  }

  @Test
  void aSliceSeesTheNewRowsOfTheMemoryThatItShares() {
    try (DeviceTable table = upload(NUMBERS, 10, 0);
        VectorSchemaRoot root = ArrowTables.download(stream, allocator, table);
        VectorSchemaRoot slice = root.slice(8, 2)) {
      table.column("i", int[].class).values().fill(stream, 5);
      ArrowTables.downloadInto(stream, table, root);
      assertThat(Vectors.rows(slice.getVector(0))).containsExactly(5, 5);
    }
  }

  static Stream<Arguments> others() {
    String ends = "; that of the table is ";
    String numbers = "'i: int32'";
    String text = "'t: utf8'";
    return Stream.of(
        Arguments.of(
            List.of(Vectors.nullable("größe", INT32), TEXT),
            "field 0 of the root is 'größe: int32'" + ends + numbers),
        Arguments.of(
            List.of(Vectors.nullable("i", new ArrowType.Int(32, false)), TEXT),
            "field 0 of the root is 'i: uint32'" + ends + numbers),
        Arguments.of(
            List.of(NUMBERS, Vectors.notNullable("t", new ArrowType.Utf8())),
            "field 1 of the root is 't: utf8 not null'" + ends + text),
        Arguments.of(List.of(TEXT, NUMBERS), "field 0 of the root is " + text + ends + numbers),
        Arguments.of(List.of(NUMBERS), "field 1 of the root is missing" + ends + text),
        Arguments.of(
            List.of(NUMBERS, TEXT, TEXT), "field 2 of the root is " + text + ends + "missing"));
  }

  @ParameterizedTest
  @MethodSource("others")
  void anotherFieldIsRefusedByNameAndTheVectorsStay(List<Field> fields, String message) {
    try (DeviceTable table = uploadNumbersAndText();
        VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(fields), allocator)) {
      root.allocateNew();
      root.setRowCount(3);
      List<Long> addresses = addresses(root);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.downloadInto(stream, table, root))
          .withMessage(message);
      assertThat(root.getRowCount()).isEqualTo(3);
      assertThat(addresses(root)).isEqualTo(addresses);
    }
  }

  @Test
  void aTypeThatColumnsDoNotHaveIsRefused() {
    Field field = Vectors.nullable("größe", new ArrowType.Binary());
    try (DeviceTable table = upload(NUMBERS, 3, 0);
        VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(List.of(field)), allocator)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.downloadInto(stream, table, root))
          .withMessageStartingWith("field 'größe' has the type Binary; supported are");
    }
  }

  @Test
  void anAllocatorThatIsTooSmallLeavesVectorsThatCanBeUsed() {
    try (BufferAllocator small = allocator.newChildAllocator("small", 0, 3000);
        DeviceTable fits = upload(NUMBERS, 100, 3);
        DeviceTable doesNot = upload(NUMBERS, 1000, 3);
        VectorSchemaRoot root = ArrowTables.download(stream, small, fits)) {
      assertThatThrownBy(() -> ArrowTables.downloadInto(stream, doesNot, root))
          .isInstanceOf(OutOfMemoryException.class)
          .hasNoSuppressedExceptions();
      assertThat(small.getAllocatedMemory()).isZero();
      assertThat(root).satisfies(ArrowReuseTest::isEmpty);
      ArrowTables.downloadInto(stream, fits, root);
      assertThat(root).satisfies(holds(fits));
    }
  }

  @Test
  void offsetsThatTheDeviceHasBrokenLeaveVectorsThatCanBeUsed() {
    try (DeviceTable table = uploadNumbersAndText();
        VectorSchemaRoot root = ArrowTables.download(stream, allocator, table)) {
      int[] offsets = table.column("t", byte[].class).offsets().download(stream);
      int[] broken = offsets.clone();
      broken[1] = Integer.MAX_VALUE;
      table.column("t", byte[].class).offsets().upload(stream, broken);
      assertThatIllegalStateException()
          .isThrownBy(() -> ArrowTables.downloadInto(stream, table, root))
          .withMessageContaining("column 't' (utf8) of 3 rows");
      assertThat(root).satisfies(ArrowReuseTest::isEmpty);
      table.column("t", byte[].class).offsets().upload(stream, offsets);
      ArrowTables.downloadInto(stream, table, root);
      assertThat(root).satisfies(holds(table));
    }
  }

  @Test
  void aClosedTableLeavesTheVectorsAsTheyAre() {
    DeviceTable table = upload(NUMBERS, 9, 3);
    try (VectorSchemaRoot root = ArrowTables.download(stream, allocator, table)) {
      List<Object> rows = Vectors.rows(root.getVector(0));
      table.close();
      assertThatThrownBy(() -> ArrowTables.downloadInto(stream, table, root))
          .isInstanceOf(UseAfterFreeException.class);
      assertThat(Vectors.rows(root.getVector(0))).isEqualTo(rows);
    }
  }

  private DeviceTable upload(Field field, int rows, int nullEvery) {
    try (VectorSchemaRoot root = Vectors.table(allocator, field, rows, nullEvery)) {
      return ArrowTables.upload(stream, root);
    }
  }

  private DeviceTable uploadNumbersAndText() {
    try (IntVector numbers = new IntVector("i", allocator);
        VarCharVector text = Vectors.words("t", allocator, "größe", "", "x")) {
      numbers.allocateNew(3);
      numbers.setValueCount(3);
      return ArrowTables.upload(stream, VectorSchemaRoot.of(numbers, text));
    }
  }

  /** The same rows as those of a table that is downloaded into new vectors. */
  private ThrowingConsumer<VectorSchemaRoot> holds(DeviceTable table) {
    return root -> {
      try (BufferAllocator other = new RootAllocator();
          VectorSchemaRoot expected = ArrowTables.download(stream, other, table)) {
        assertThat(root.getRowCount()).isEqualTo(expected.getRowCount());
        for (int i = 0; i < expected.getFieldVectors().size(); i++) {
          assertThat(Vectors.rows(root.getVector(i)))
              .isEqualTo(Vectors.rows(expected.getVector(i)));
        }
      }
    };
  }

  private static void isEmpty(VectorSchemaRoot root) {
    assertThat(root.getRowCount()).isZero();
    assertThat(root.getFieldVectors()).extracting(FieldVector::getValueCount).containsOnly(0);
    assertThat(root.getFieldVectors()).extracting(FieldVector::getBufferSize).containsOnly(0);
  }

  private static List<Long> addresses(VectorSchemaRoot root) {
    List<Long> addresses = new ArrayList<>();
    for (FieldVector vector : root.getFieldVectors()) {
      Arrays.stream(vector.getBuffers(false)).map(ArrowBuf::memoryAddress).forEach(addresses::add);
    }
    return addresses;
  }
}
