package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Effort;
import dev.streamfence.internal.ptx.DamagedCode;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Changes one number or one comparison at a time in loops that a compiler unrolled: how many
 * iterations they have is no longer what the division says, and what a launch touches still lies
 * within its limits.
 */
@Tag("search")
class DamagedLoopsTest {
  private static final List<ArrayPlace> ARRAYS =
      List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0));

  /** Every so many changes are tried: each one takes an analysis. */
  private static final int EVERY = Effort.of(9, 1);

  private int seen;

  @Test
  void loopsWithAnotherNumberOfIterationsTouchNothingBeyondTheirLimits() throws IOException {
    BoundsClaims claims = new BoundsClaims();
    DamagedCode.forEach(
        "strides.ptx",
        text -> {
          if (seen++ % EVERY == 0) {
            PtxModule module = PtxModule.parse(text);
            claims.compare(text, module, module.entries().get(0), ARRAYS, seen, 4);
          }
        });
    System.out.println("Bounds of damaged loops: " + claims);

    assertThat(claims.limits).isGreaterThan(claims.launches);
    assertThat(claims.exactLimits).isGreaterThan(claims.limits / 2);
  }
}
