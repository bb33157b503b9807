package dev.streamfence.examples.tpch;

import io.trino.tpch.Distributions;
import io.trino.tpch.GenerateUtils;
import io.trino.tpch.LineItem;
import io.trino.tpch.LineItemGenerator;
import io.trino.tpch.Order;
import io.trino.tpch.OrderGenerator;
import io.trino.tpch.TextPool;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Generates TPC-H's tables as columns, in one part per thread. Thread-safe. */
final class TpchGenerator {
  /** How many orders are generated between two progress reports. */
  private static final int PROGRESS_STEP = 1000;

  /**
   * The size of the text for comments, which no query here reads. TPC-H requires 300 MB, which take
   * longer to generate than all the rows.
   */
  private static final int TEXT_POOL_SIZE = 1 << 16;

  private final double scale;
  private final LongConsumer progress;
  private final Distributions distributions = Distributions.getDefaultDistributions();
  private final TextPool text = new TextPool(TEXT_POOL_SIZE, distributions);

  /**
   * Creates a generator.
   *
   * @param scale TPC-H's scale factor
   * @param progress receives the number of orders done since the last call, on any thread
   */
  TpchGenerator(double scale, LongConsumer progress) {
    this.scale = scale;
    this.progress = progress;
  }

  /** The number of orders at a scale. */
  static int orderCount(double scale) {
    return orderCount(scale, 1, 1);
  }

  private static int orderCount(double scale, int part, int partCount) {
    return Math.toIntExact(
        GenerateUtils.calculateRowCount(OrderGenerator.SCALE_BASE, scale, part, partCount));
  }

  /**
   * Generates both tables on the given threads and waits for them. The rows do not depend on the
   * number of threads.
   */
  TpchData generate(HostThreads threads) {
    int partCount = threads.count();
    List<TpchPart> parts =
        threads.runAll(
            IntStream.rangeClosed(1, partCount)
                .<Callable<TpchPart>>mapToObj(part -> () -> generatePart(part, partCount))
                .toList());
    return new TpchData(
        HostTable.join(TpchSchema.ORDERS, parts.stream().map(TpchPart::orders).toList()),
        HostTable.join(TpchSchema.LINE_ITEMS, parts.stream().map(TpchPart::lineItems).toList()));
  }

  private TpchPart generatePart(int part, int partCount) {
    TpchPart rows = new TpchPart(orderCount(scale, part, partCount));
    Iterator<LineItem> items =
        new LineItemGenerator(scale, part, partCount, distributions, text).iterator();
    LineItem item = nextOrNull(items);
    int unreported = 0;
    for (Order order : new OrderGenerator(scale, part, partCount, distributions, text)) {
      rows.add(order);
      while (item != null && item.getOrderKey() == order.getOrderKey()) {
        rows.add(item);
        item = nextOrNull(items);
      }
      if (++unreported == PROGRESS_STEP) {
        progress.accept(unreported);
        unreported = 0;
      }
    }
    progress.accept(unreported);
    if (item != null) {
      throw new IllegalStateException(
          "line item of order " + item.getOrderKey() + " comes without its order");
    }
    return rows;
  }

  private static @Nullable LineItem nextOrNull(Iterator<LineItem> items) {
    return items.hasNext() ? items.next() : null;
  }
}
