package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ReadableColumn;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DeviceTablesTest {
  private final TpchData data = TpchGeneratorTest.generate(0.001, 1);

  @Test
  void tablesOnTheDeviceHaveTheColumnsOfTpch() {
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        DeviceTables tables = DeviceTables.upload(stream, data)) {
      assertThat(tables.orders().schema()).isEqualTo(TpchSchema.ORDERS);
      assertThat(tables.orders().rows(stream)).isEqualTo(1500);
      assertThat(tables.lineItems().schema())
          .hasToString(
              "(l_orderkey: int64 not null, l_quantity: decimal64(15, 2) not null,"
                  + " l_extendedprice: decimal64(15, 2) not null,"
                  + " l_discount: decimal64(15, 2) not null, l_shipdate: date32 not null,"
                  + " l_commitdate: date32 not null, l_receiptdate: date32 not null,"
                  + " l_shipmode: dictionary<values=utf8, indices=int8> not null)");
      assertThat(tables.lineItems().rows(stream)).isEqualTo(data.lineItems().rows());
      ReadableColumn<int[]> shipDates = tables.lineItems().readable("l_shipdate", int[].class);
      assertThat(shipDates.values().download(stream))
          .containsExactly(data.lineItems().days("l_shipdate"));
    }
  }

  @Test
  void rowsOfTheDictionaryAreTheTextsInTheOrderOfTheirCodes() {
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        DeviceTables tables = DeviceTables.upload(stream, data)) {
      ReadableColumn<byte[]> modes = tables.lineItems().column("l_shipmode").dictionary();
      byte[] text = modes.values().download(stream);
      int[] offsets = modes.offsets().download(stream);
      for (ShipMode mode : ShipMode.values()) {
        int from = offsets[mode.code()];
        assertThat(new String(text, from, offsets[mode.code() + 1] - from, StandardCharsets.UTF_8))
            .isEqualTo(mode.text());
      }
    }
  }

  @Test
  void whicheverDriverCallFailsNothingStaysAllocated() throws Exception {
    uploads().assertNothingStaysAfterAnyDriverCall();
  }

  @Test
  void afterAnErrorNothingStaysAllocated() throws Exception {
    uploads().assertNothingStaysAfterAnError();
  }

  private FailingUploads uploads() {
    return new FailingUploads(stream -> DeviceTables.upload(stream, data), 1);
  }
}
