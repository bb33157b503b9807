package dev.streamfence.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Types that columns do not have are refused, with the field and with those that they have. */
final class UnsupportedTypesTest {
  static Stream<ArrowType> types() {
    return Stream.of(
        new ArrowType.Null(),
        new ArrowType.Struct(),
        new ArrowType.List(),
        new ArrowType.Binary(),
        new ArrowType.FixedSizeBinary(4),
        new ArrowType.LargeUtf8(),
        new ArrowType.Utf8View(),
        new ArrowType.FloatingPoint(FloatingPointPrecision.HALF),
        new ArrowType.Decimal(19, 2, 128),
        new ArrowType.Decimal(18, 2, 256),
        new ArrowType.Date(DateUnit.MILLISECOND),
        new ArrowType.Time(TimeUnit.MILLISECOND, 32),
        new ArrowType.Duration(TimeUnit.SECOND),
        new ArrowType.Interval(IntervalUnit.YEAR_MONTH));
  }

  @ParameterizedTest
  @MethodSource("types")
  void aTypeThatColumnsDoNotHaveIsRefusedBeforeAnythingIsAllocated(ArrowType type) {
    List<Field> children =
        type instanceof ArrowType.List
            ? List.of(Vectors.nullable("item", new ArrowType.Int(8, true)))
            : List.of();
    Field field = new Field("größe", FieldType.nullable(type), children);
    Schema schema = new Schema(List.of(Vectors.nullable("x", new ArrowType.Int(32, true)), field));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ArrowTables.schemaOf(schema))
        .withMessage(
            "field 'größe' has the type "
                + type
                + "; supported are bool, arrow.bool8, integers of 8 to 64 bits, float32, float64,"
                + " date32, timestamps, decimals of 128 bits and at most 18 digits, utf8, and"
                + " dictionaries of utf8");

    SimulatedDevice device = SimulatedDevice.builder().build();
    try (RootAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
        DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream stream = gpu.streams().acquire()) {
      long calls = device.calls();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.upload(stream, root))
          .withMessageStartingWith("field 'größe' has the type");
      assertThat(device.calls()).isEqualTo(calls);
    }
  }
}
