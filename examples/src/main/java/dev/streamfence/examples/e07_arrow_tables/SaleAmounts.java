package dev.streamfence.examples.e07_arrow_tables;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.arrow.ArrowTables;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Selects the larger sales of a table of Arrow Java, and returns their amounts as another one. The
 * device counts the sales that are selected: the second kernel reads the number there, and the
 * download brings that many rows.
 */
public final class SaleAmounts {
  private static final Schema SALES =
      Schema.of(
          ColumnField.of("item", ColumnType.INT32),
          ColumnField.nullable("quantity", ColumnType.INT32),
          ColumnField.of("price", ColumnType.decimal(9, 2)));

  private static final Schema AMOUNTS =
      Schema.of(
          ColumnField.of("item", ColumnType.INT32),
          ColumnField.of("amount", ColumnType.decimal(18, 2)));

  private SaleAmounts() {}

  /** Prints two items with their amounts: 3 with 59.88 and 4 with 70.00, in any order. */
  public static void main(String[] arguments) {
    List<Sale> rows =
        List.of(
            new Sale(1, 3, "2.50"),
            new Sale(2, null, "9.00"),
            new Sale(3, 12, "4.99"),
            new Sale(4, 7, "10.00"));
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot sales = Sale.table(allocator, rows);
        DeviceRuntime device =
            DeviceRuntime.isGpuAvailable() ? DeviceRuntime.open(0) : DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        VectorSchemaRoot amounts = amountsOf(stream, sales, 5, allocator)) {
      System.out.print(amounts.contentToTSVString());
    }
  }

  /**
   * Waits for the device and returns the amounts of the sales of at least {@code least} pieces, in
   * any order.
   *
   * @param allocator the memory of the result, which the caller closes
   */
  static VectorSchemaRoot amountsOf(
      DeviceStream stream, VectorSchemaRoot sales, int least, BufferAllocator allocator) {
    Schema schema = ArrowTables.schemaOf(sales.getSchema());
    if (!schema.equals(SALES)) {
      throw new IllegalArgumentException("sales are " + SALES + ", not " + schema);
    }
    try (DeviceTable sold = ArrowTables.upload(stream, sales);
        DeviceTable amounts = DeviceTable.allocate(stream, AMOUNTS, sold.capacity());
        DeviceArray<int[]> rows =
            stream.runtime().memory().allocate(stream, int[].class, sold.capacity())) {
      ReadableColumn<int[]> quantity = sold.readable("quantity", int[].class);
      SaleKernels kernels = SaleKernelsLauncher.on(stream);

      // A table is allocated without rows, so the first kernel counts from zero.
      kernels.selectRows(
          quantity, quantity.validity(), least, rows, amounts.rowCount(), sales.getRowCount());
      kernels.gatherAmounts(
          sold.readable("item", int[].class),
          quantity,
          sold.readable("price", long[].class),
          rows,
          amounts.rowCount(),
          amounts.column("item", int[].class),
          amounts.column("amount", long[].class),
          sales.getRowCount());
      return ArrowTables.download(stream, allocator, amounts);
    }
  }
}
