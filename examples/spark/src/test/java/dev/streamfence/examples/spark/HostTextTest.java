package dev.streamfence.examples.spark;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class HostTextTest {
  @Test
  void textOf2GibibytesIsRefusedWithItsRow() {
    try (ConstantColumnVector vector = new ConstantColumnVector(3, DataTypes.StringType)) {
      vector.setUtf8String(UTF8String.fromAddress(null, 0, 1 << 30)); // Is never read.

      assertThatThrownBy(() -> HostText.of(vector, 0, 3))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "the text of a batch reaches 2 GiB at row 1; set"
                  + " spark.sql.parquet.columnarReaderBatchSize to fewer rows");
    }
  }
}
