package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TpchGeneratorTest {
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 64})
  void rowsDoNotDependOnTheNumberOfThreads(int threads) {
    assertThat(generate(0.001, threads)).usingRecursiveComparison().isEqualTo(generate(0.001, 1));
  }

  @Test
  void smallScaleHasAsManyRowsAsTpchDefines() {
    TpchData data = generate(0.01, 2);
    assertThat(data.orders().rows()).isEqualTo(15_000);
    assertThat(data.lineItems().rows()).isEqualTo(60_175);
  }

  @Test
  void orderKeysAreUniqueAndPositive() {
    long[] keys = generate(0.001, 2).orders().longs("o_orderkey");
    assertThat(LongStream.of(keys).distinct()).hasSameSizeAs(keys);
    assertThat(LongStream.of(keys).min()).hasValue(1);
  }

  @Test
  void progressAddsUpToAllOrders() {
    AtomicLong done = new AtomicLong();
    try (HostThreads threads = new HostThreads("test", 3)) {
      new TpchGenerator(0.003, done::addAndGet).generate(threads);
    }
    assertThat(done).hasValue(TpchGenerator.orderCount(0.003)).hasValue(4500);
  }

  static TpchData generate(double scale, int threads) {
    try (HostThreads hostThreads = new HostThreads("test", threads)) {
      return new TpchGenerator(scale, orders -> {}).generate(hostThreads);
    }
  }
}
