package dev.streamfence.examples.queries;

import java.util.List;

/** The seven queries. */
public final class Queries {
  /** All of them, in the order of their numbers. */
  public static final List<Query> ALL =
      List.of(
          new PricingSummary(),
          new ShippingPriority(),
          new LocalSupplierVolume(),
          new RevenueForecast(),
          new ProductTypeProfit(),
          new ShippingModes(),
          new LargeVolumeCustomers());

  private Queries() {}
}
