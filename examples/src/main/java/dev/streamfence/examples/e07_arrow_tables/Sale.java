package dev.streamfence.examples.e07_arrow_tables;

import java.math.BigDecimal;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A row of the example's table. Immutable.
 *
 * @param item the number of what was sold
 * @param quantity how many pieces of it; null if that is not known
 * @param price of one piece, with two digits after the point
 */
record Sale(int item, @Nullable Integer quantity, String price) {
  private static final ArrowType.Int INT32 = new ArrowType.Int(32, true);

  private static final Schema SCHEMA =
      new Schema(
          List.of(
              new Field("item", FieldType.notNullable(INT32), null),
              new Field("quantity", FieldType.nullable(INT32), null),
              new Field("price", FieldType.notNullable(new ArrowType.Decimal(9, 2, 128)), null)));

  /** The sales as a table of Arrow Java, which the caller closes. */
  static VectorSchemaRoot table(BufferAllocator allocator, List<Sale> sales) {
    VectorSchemaRoot table = VectorSchemaRoot.create(SCHEMA, allocator);
    IntVector items = (IntVector) table.getVector("item");
    IntVector quantities = (IntVector) table.getVector("quantity");
    DecimalVector prices = (DecimalVector) table.getVector("price");
    for (int row = 0; row < sales.size(); row++) {
      Sale sale = sales.get(row);
      items.setSafe(row, sale.item());
      if (sale.quantity() == null) {
        quantities.setNull(row);
      } else {
        quantities.setSafe(row, sale.quantity());
      }
      prices.setSafe(row, new BigDecimal(sale.price()));
    }
    table.setRowCount(sales.size());
    return table;
  }
}
