package dev.streamfence.corpus;

import dev.streamfence.internal.ptx.syntax.PtxGrid;
import java.util.List;
import java.util.Random;

/** The kernels of {@code control.cu} and {@code geometry.cu}. */
final class ControlCases {
  private static final int COUNT = 512;

  private ControlCases() {}

  static List<KernelCase> all() {
    return List.of(control(), geometry(), bounded());
  }

  private static KernelCase control() {
    int[] in = new Random(51).ints(COUNT).toArray();
    Rows rows = new Rows(4, COUNT, i -> Integer.toUnsignedString(in[i]));
    rows.row("switch", i -> chosen(Integer.toUnsignedLong(in[i])))
        .row("loop", i -> collatz(Integer.remainderUnsigned(in[i], 1000) + 1))
        .row("mutual recursion", i -> Integer.remainderUnsigned(in[i], 20) % 2)
        .row("nested loops", i -> nested(in[i]))
        .row(
            "virtual function",
            i -> (in[i] & 0x1000) != 0 ? 3 * (in[i] & 0xFF) * (in[i] & 0xFF) : 3 * (in[i] & 0xFFF))
        .row("indexed branch", i -> 100 * (Integer.remainderUnsigned(in[i], 3) + 1))
        .row("clock", i -> 1)
        .row("exit", i -> (in[i] & 1) != 0 ? 0 : in[i]);
    return KernelCase.of(
            "control.ptx",
            "control",
            COUNT / 64,
            64,
            Buffers.of(in),
            Buffers.zeros(rows.sizeInBytes()),
            COUNT)
        .expect(1, rows);
  }

  private static long chosen(long v) {
    return switch ((int) (v % 9)) {
      case 0 -> v + 1;
      case 1 -> v * 3;
      // Case 2 falls through.
      case 2, 3 -> v >> 3;
      case 5 -> v - 7;
      case 7 -> ~v;
      default -> 12345;
    };
  }

  private static int collatz(int start) {
    int v = start;
    for (int steps = 0; ; steps++) {
      if (v <= 1 || steps == 200) {
        return steps;
      }
      v = v % 2 == 1 ? 3 * v + 1 : v / 2;
    }
  }

  private static int nested(int v) {
    int sum = 0;
    for (int a = 0; a < Integer.remainderUnsigned(v, 7); a++) {
      for (int b = a; b < Integer.remainderUnsigned(v, 5); b++) {
        if ((a ^ b) != 3) {
          if (a + b > 8) {
            return sum;
          }
          sum += a * 10 + b;
        }
      }
    }
    return sum;
  }

  private static KernelCase geometry() {
    PtxGrid grid = new PtxGrid(3, 2, 2, 5, 4, 3, 48);
    int threads = 60 * 12;
    return KernelCase.of("geometry.ptx", "geometry", grid, Buffers.zeros(threads * 19 * 4))
        .expect(
            0,
            actual -> {
              int[] found = Buffers.ints(actual);
              for (int i = 0; i < threads * 19; i++) {
                int wanted = place(grid, i / 19)[i % 19];
                if (found[i] != wanted) {
                  throw new AssertionError(
                      "value "
                          + i % 19
                          + " of thread "
                          + i / 19
                          + " is "
                          + found[i]
                          + " instead of "
                          + wanted);
                }
              }
            });
  }

  private static int[] place(PtxGrid grid, int thread) {
    int t = thread % 60;
    int b = thread / 60;
    return new int[] {
      t % 5,
      t / 5 % 4,
      t / 20,
      5,
      4,
      3,
      b % 3,
      b / 3 % 2,
      b / 6,
      3,
      2,
      2,
      t % 32,
      32,
      grid.dynamicSharedBytes(),
      1,
      1,
      1,
      1
    };
  }

  private static KernelCase bounded() {
    float[] x = {1, 2, 3, 4, 5};
    float[] y = {10, 20, 30, 40, 50};
    return KernelCase.of("geometry.ptx", "bounded", 1, 64, 2f, Buffers.of(x), Buffers.of(y), 4)
        .expect(
            2,
            actual -> {
              float[] found = Buffers.floats(actual);
              for (int i = 0; i < 5; i++) {
                if (found[i] != (i < 4 ? 2 * x[i] + y[i] : y[i])) {
                  throw new AssertionError("y[" + i + "] is " + found[i]);
                }
              }
            });
  }
}
