package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Bounds that are found when the first launch asks for them. */
final class LaunchedBoundsTest {
  @Test
  void theCodeIsAnalysedAtTheFirstLaunchAndNeverAgain() {
    AtomicInteger analyses = new AtomicInteger();
    LaunchedBounds bounds =
        new LaunchedBounds(
            () -> {
              analyses.incrementAndGet();
              return null;
            });
    assertThat(analyses).hasValue(0);
    assertThat(bounds.get()).isNull();
    assertThat(bounds.get()).isNull();
    assertThat(analyses).hasValue(1);
  }
}
