package dev.streamfence.examples.queries;

import static dev.streamfence.examples.operators.Aggregate.sum;
import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.date;
import static dev.streamfence.examples.operators.Expression.number;
import static dev.streamfence.examples.operators.SortKey.descending;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.text;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.Filter;
import dev.streamfence.examples.operators.GroupBy;
import dev.streamfence.examples.operators.HashJoin;
import dev.streamfence.examples.operators.Sort;
import dev.streamfence.examples.operators.SortKey;
import dev.streamfence.examples.operators.Temporaries;
import java.time.LocalDate;
import java.util.List;

/** Q5, "local supplier volume": what suppliers of Asia sold in their own nation. Immutable. */
public final class LocalSupplierVolume implements Query {
  private static final AnswerShape SHAPE =
      AnswerShape.of(text("n_name"), decimal("revenue", 4)).sortedBy(descending("revenue"));

  @Override
  public String name() {
    return "Q5";
  }

  @Override
  public String sql() {
    return """
        select
          n_name,
          sum(l_extendedprice * (1 - l_discount)) as revenue
        from customer, orders, lineitem, supplier, nation, region
        where c_custkey = o_custkey
          and l_orderkey = o_orderkey
          and l_suppkey = s_suppkey
          and c_nationkey = s_nationkey
          and s_nationkey = n_nationkey
          and n_regionkey = r_regionkey
          and r_name = 'ASIA'
          and o_orderdate >= date '1994-01-01'
          and o_orderdate < date '1994-01-01' + interval '1' year
        group by n_name
        order by revenue desc
        """;
  }

  @Override
  public AnswerShape shape() {
    return SHAPE;
  }

  @Override
  public DeviceTable onDevice(DeviceStream stream, DeviceTables tables) {
    DeviceTable nations = tables.table(TpchTable.NATION);
    DeviceTable orders = tables.table(TpchTable.ORDERS);
    DeviceTable customers = tables.table(TpchTable.CUSTOMER);
    try (Temporaries temporaries = new Temporaries(stream)) {
      DeviceTable asia =
          temporaries.add(
              Filter.of(stream, tables.table(TpchTable.REGION), column("r_name").isText("ASIA")));
      HashJoin byRegion = temporaries.add(HashJoin.build(stream, asia, "r_regionkey"));
      DeviceTable asian = temporaries.add(byRegion.semi(stream, nations, "n_regionkey"));
      HashJoin byNation =
          temporaries.add(
              HashJoin.build(stream, asian.select("n_nationkey", "n_name"), "n_nationkey"));
      DeviceTable suppliers =
          temporaries.add(byNation.inner(stream, tables.table(TpchTable.SUPPLIER), "s_nationkey"));
      LocalDate first = LocalDate.of(1994, 1, 1);
      DeviceTable ofYear =
          temporaries.add(
              Filter.of(
                  stream,
                  orders,
                  column("o_orderdate")
                      .isAtLeast(date(first))
                      .and(column("o_orderdate").isLess(date(first.plusYears(1)))),
                  orders.select("o_orderkey", "o_custkey")));
      HashJoin byCustomer =
          temporaries.add(
              HashJoin.build(stream, customers.select("c_custkey", "c_nationkey"), "c_custkey"));
      DeviceTable ordered = temporaries.add(byCustomer.inner(stream, ofYear, "o_custkey"));
      HashJoin byOrder =
          temporaries.add(
              HashJoin.build(stream, ordered.select("o_orderkey", "c_nationkey"), "o_orderkey"));
      DeviceTable items =
          temporaries.add(
              byOrder.inner(
                  stream,
                  tables
                      .table(TpchTable.LINEITEM)
                      .select("l_orderkey", "l_suppkey", "l_extendedprice", "l_discount"),
                  "l_orderkey"));
      HashJoin bySupplier =
          temporaries.add(
              HashJoin.build(
                  stream,
                  suppliers.select("s_suppkey", "s_nationkey", "n_name"),
                  "s_suppkey",
                  "s_nationkey"));
      DeviceTable local =
          temporaries.add(bySupplier.inner(stream, items, "l_suppkey", "c_nationkey"));
      DeviceTable groups =
          temporaries.add(
              GroupBy.of(
                  stream,
                  local,
                  List.of("n_name"),
                  sum(
                      "revenue",
                      column("l_extendedprice").times(number(1).minus(column("l_discount"))))));
      return Sort.of(stream, groups, SortKey.descending("revenue"));
    }
  }
}
