package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JavaOracleTest {
  @Test
  void revenueIsPriceTimesDiscountOfTheSelectedRows() {
    Rows rows = new Rows();
    rows.sale("1994-01-01", 5, 23, 10_000);
    rows.sale("1994-12-31", 7, 1, 3);
    assertThat(rows.answers().q6()).isEqualTo(new Q6Answer(5 * 10_000 + 7 * 3));
  }

  @Test
  void revenueExcludesRowsJustOutsideEachBound() {
    Rows rows = new Rows();
    rows.sale("1993-12-31", 6, 10, 1000);
    rows.sale("1995-01-01", 6, 10, 1000);
    rows.sale("1994-06-15", 4, 10, 1000);
    rows.sale("1994-06-15", 8, 10, 1000);
    rows.sale("1994-06-15", 6, 24, 1000);
    assertThat(rows.answers().q6()).isEqualTo(new Q6Answer(0));
  }

  @Test
  void revenueIsRoundedToTheCent() {
    assertThat(new Q6Answer(1_231_410_782_283L).revenue()).hasToString("123141078.23");
    assertThat(new Q6Answer(150).revenue()).hasToString("0.02");
  }

  @Test
  void lateDeliveriesAreCountedByModeAndPriorityOfTheirOrder() {
    Rows rows = new Rows();
    rows.order(1, OrderPriority.HIGH);
    rows.order(1L << 40, OrderPriority.MEDIUM);
    rows.delivery(1, ShipMode.MAIL, "1994-01-01", "1994-01-02", "1994-01-03");
    rows.delivery(1, ShipMode.MAIL, "1994-01-01", "1994-01-02", "1994-12-31");
    rows.delivery(1, ShipMode.SHIP, "1993-12-30", "1993-12-31", "1994-01-01");
    rows.delivery(1L << 40, ShipMode.MAIL, "1994-01-01", "1994-01-02", "1994-01-03");
    rows.delivery(1L << 40, ShipMode.SHIP, "1994-01-01", "1994-01-02", "1994-01-03");
    rows.delivery(1L << 40, ShipMode.SHIP, "1994-01-01", "1994-01-02", "1994-01-03");
    rows.delivery(1L << 40, ShipMode.SHIP, "1994-01-01", "1994-01-02", "1994-01-03");
    assertThat(rows.answers().q12()).isEqualTo(new Q12Answer(2, 1, 1, 3));
  }

  @Test
  void lateDeliveriesExcludeUnselectedRows() {
    Rows rows = new Rows();
    rows.order(1, OrderPriority.URGENT);
    rows.delivery(1, ShipMode.AIR, "1994-01-01", "1994-01-02", "1994-01-03");
    rows.delivery(1, ShipMode.MAIL, "1993-12-01", "1993-12-02", "1993-12-31");
    rows.delivery(1, ShipMode.MAIL, "1994-12-01", "1994-12-02", "1995-01-01");
    rows.delivery(1, ShipMode.MAIL, "1994-01-01", "1994-01-03", "1994-01-03");
    rows.delivery(1, ShipMode.MAIL, "1994-01-02", "1994-01-02", "1994-01-03");
    assertThat(rows.answers().q12()).isEqualTo(new Q12Answer(0, 0, 0, 0));
  }

  @Test
  void answersAtScaleOneAreThePublishedOnes() {
    Answers answers =
        new JavaOracle().answersOver(TpchGeneratorTest.generate(1, 2), Constants.PUBLISHED);
    assertThat(answers.q6().revenue()).hasToString("123141078.23");
    assertThat(answers.q12()).isEqualTo(new Q12Answer(6202, 9324, 6200, 9262));
  }

  /** Tables that are written row by row. */
  private static final class Rows {
    private record Item(
        long order,
        int quantity,
        int price,
        int discount,
        int ship,
        int commit,
        int receipt,
        ShipMode mode) {}

    private record Order(long key, OrderPriority priority) {}

    private final List<Order> orders = new ArrayList<>();
    private final List<Item> items = new ArrayList<>();

    void order(long key, OrderPriority priority) {
      orders.add(new Order(key, priority));
    }

    void sale(String shipDate, int discount, int quantity, int price) {
      items.add(new Item(1, quantity, price, discount, day(shipDate), 0, 0, ShipMode.FOB));
    }

    void delivery(long order, ShipMode mode, String ship, String commit, String receipt) {
      items.add(new Item(order, 50, 1, 0, day(ship), day(commit), day(receipt), mode));
    }

    Answers answers() {
      HostTable lineItems =
          new HostTable(
              TpchSchema.LINE_ITEMS,
              items.stream().mapToLong(Item::order).toArray(),
              items.stream().mapToLong(item -> 100L * item.quantity()).toArray(),
              items.stream().mapToLong(Item::price).toArray(),
              items.stream().mapToLong(Item::discount).toArray(),
              items.stream().mapToInt(Item::ship).toArray(),
              items.stream().mapToInt(Item::commit).toArray(),
              items.stream().mapToInt(Item::receipt).toArray(),
              bytes(items.stream().mapToInt(item -> item.mode().code()).toArray()));
      return new JavaOracle()
          .answersOver(
              new TpchData(
                  new HostTable(
                      TpchSchema.ORDERS,
                      orders.stream().mapToLong(Order::key).toArray(),
                      bytes(orders.stream().mapToInt(order -> order.priority().code()).toArray())),
                  lineItems),
              Constants.PUBLISHED);
    }

    private static int day(String date) {
      return (int) LocalDate.parse(date).toEpochDay();
    }

    private static byte[] bytes(int[] values) {
      byte[] bytes = new byte[values.length];
      for (int i = 0; i < values.length; i++) {
        bytes[i] = (byte) values[i];
      }
      return bytes;
    }
  }
}
