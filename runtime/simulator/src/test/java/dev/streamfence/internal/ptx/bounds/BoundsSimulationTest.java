package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Effort;
import dev.streamfence.internal.ptx.CorpusKernels;
import dev.streamfence.internal.ptx.random.RandomKernel;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs kernels on the interpreter: what a launch touches lies within its limits, and every element
 * that is called certain is touched.
 */
@Tag("search")
class BoundsSimulationTest {
  private static final int KERNELS = Effort.of(150, 1000);
  private static final int LAUNCHES = 5;

  @Test
  void randomKernelsTouchWhatIsCertainAndNothingBeyondTheirLimits() {
    BoundsClaims claims = new BoundsClaims();
    List<ArrayPlace> arrays =
        List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0), new ArrayPlace(2, 0));
    for (int seed = 0; seed < KERNELS; seed++) {
      String text = new RandomIndexKernel(new Random(seed)).write(3 + seed % 9);
      PtxModule module = PtxModule.parse(text);
      String name = "kernel " + seed + "\n" + text;
      claims.compare(name, module, module.entries().get(0), arrays, seed, LAUNCHES);
    }
    System.out.println("Bounds of random kernels: " + claims);

    // Claims of nothing would be true as well.
    assertThat(claims.limits).isGreaterThan(KERNELS * LAUNCHES * 2);
    assertThat(claims.exactLimits).isGreaterThan(claims.limits * 3 / 4);
    assertThat(claims.grids).isPositive();
    assertThat(claims.certain).isGreaterThan(KERNELS * LAUNCHES);
    assertThat(claims.exactCertain).isGreaterThan(claims.certain * 9 / 10);
  }

  @Test
  void kernelsWithLoopsAndTilesTouchWhatIsCertainAndNothingBeyondTheirLimits() {
    BoundsClaims claims = new BoundsClaims();
    List<ArrayPlace> arrays =
        List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0), new ArrayPlace(4, 0));
    for (int seed = 0; seed < KERNELS; seed++) {
      String text = new RandomKernel(RandomKernel.random(seed)).write(seed % 5);
      PtxModule module = PtxModule.parse(text);
      String name = "kernel " + seed + "\n" + text;
      claims.compare(name, module, module.entries().get(0), arrays, seed, LAUNCHES);
    }
    System.out.println("Bounds of random kernels with loops and tiles: " + claims);

    assertThat(claims.limits).isGreaterThan(KERNELS * LAUNCHES);
    assertThat(claims.certain).isGreaterThan(KERNELS);
    assertThat(claims.exactCertain).isGreaterThan(claims.certain * 9 / 10);
  }

  @Test
  void kernelsOfTheCorpusTouchWhatIsCertainAndNothingBeyondTheirLimits() throws Exception {
    BoundsClaims claims = new BoundsClaims();
    // All of them, so that a new file does not change which others are compared.
    for (Path file : CorpusKernels.files()) {
      PtxModule module = PtxModule.parse(Files.readString(file));
      for (var entry : module.entries()) {
        try {
          claims.compare(file + "", module, entry, CorpusKernels.arrays(entry), 7, 6);
        } catch (PtxException e) {
          // The interpreter does not know an instruction of the module.
          break;
        }
      }
    }
    System.out.println("Bounds of the corpus: " + claims);

    assertThat(claims.launches).isGreaterThan(1500);
    assertThat(claims.limits).isGreaterThan(claims.launches);
    assertThat(claims.grids).isPositive();
    assertThat(claims.certain).isGreaterThan(claims.completed);
    assertThat(claims.exactCertain).isGreaterThan(claims.certain * 9 / 10);
  }
}
