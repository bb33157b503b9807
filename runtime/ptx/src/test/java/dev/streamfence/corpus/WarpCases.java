package dev.streamfence.corpus;

import java.util.List;
import java.util.Random;
import java.util.function.IntBinaryOperator;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/** The kernels of {@code warp.cu}, and those of {@code ampere.cu} that lanes run together. */
final class WarpCases {
  private static final int COUNT = 512;
  private static final int BLOCK = 256;

  private WarpCases() {}

  static List<KernelCase> all() {
    return List.of(shuffles(), votes(), barriers(), reductions(), backgroundCopies());
  }

  private static int[] input() {
    int[] in = new Random(41).ints(COUNT).toArray();
    for (int i = 64; i < 96; i++) {
      // One warp that agrees.
      in[i] = in[64];
    }
    return in;
  }

  private static KernelCase kernel(String file, String entry, int[] in, Rows rows) {
    return KernelCase.of(
            file,
            entry,
            COUNT / BLOCK,
            BLOCK,
            Buffers.of(in),
            Buffers.zeros(rows.sizeInBytes()),
            COUNT)
        .expect(1, rows);
  }

  /** Returns the first thread of a thread's segment of so many lanes. */
  private static int segment(int i, int width) {
    return i - i % width;
  }

  private static KernelCase shuffles() {
    int[] in = input();
    Rows rows = new Rows(4, COUNT, i -> "lane " + i % 32);
    rows.row("idx", i -> in[segment(i, 32) + 5])
        .row("idx of each", i -> in[segment(i, 32) + i * 7 % 32])
        .row("idx of 8", i -> in[segment(i, 8) + (i + 3) % 8])
        .row("up", i -> in[i % 32 < 1 ? i : i - 1])
        .row("up of 16", i -> in[i % 16 < 3 ? i : i - 3])
        .row("down", i -> in[i % 32 > 29 ? i : i + 2])
        .row("down of 8", i -> in[i % 8 > 2 ? i : i + 5])
        .row("xor", i -> in[i ^ 1])
        .row("xor of 16", i -> in[i ^ 9])
        .row("down 4", i -> in[i % 32 > 27 ? i : i + 4])
        .row("down 4 in range", i -> i % 32 > 27 ? 0 : 1)
        .row("up 4", i -> in[i % 32 < 4 ? i : i - 4])
        .row("up 4 in range", i -> i % 32 < 4 ? 0 : 1)
        .row("64 bits, high", i -> in[segment(i, 32) + 31 - i % 32])
        .row("64 bits, low", i -> segment(i, 32) + 31 - i % 32)
        .row("sum", i -> fold(in, i, v -> v & 255, Integer::sum));
    return kernel("warp.ptx", "shuffles", in, rows);
  }

  private static int fold(int[] in, int i, IntUnaryOperator map, IntBinaryOperator f) {
    int result = map.applyAsInt(in[segment(i, 32)]);
    for (int j = segment(i, 32) + 1; j < segment(i, 32) + 32; j++) {
      result = f.applyAsInt(result, map.applyAsInt(in[j]));
    }
    return result;
  }

  /** Returns the lanes of a thread's warp for which something holds. */
  private static int ballot(int[] in, int i, IntPredicate test) {
    int mask = 0;
    for (int lane = 0; lane < 32; lane++) {
      mask |= test.test(in[segment(i, 32) + lane]) ? 1 << lane : 0;
    }
    return mask;
  }

  private static KernelCase votes() {
    int[] in = input();
    Rows rows = new Rows(4, COUNT, i -> "lane " + i % 32);
    rows.row("all", i -> ballot(in, i, v -> (v & 1) != 0) == -1 ? 1 : 0)
        .row("any", i -> ballot(in, i, v -> (v & 1) != 0) != 0 ? 1 : 0)
        .row("ballot", i -> ballot(in, i, v -> (v & 1) != 0))
        .row(
            "uni", i -> Math.abs(2L * Integer.bitCount(ballot(in, i, v -> (v & 1) != 0)) - 32) / 32)
        .row("all of all", i -> 1)
        .row("match.any", i -> ballot(in, i, v -> (v & 3) == (in[i] & 3)))
        .row("match.all", i -> ballot(in, i, v -> (v & 3) == (in[i] & 3)) == -1 ? -1 : 0)
        .row("match.all agreed", i -> ballot(in, i, v -> (v & 3) == (in[i] & 3)) == -1 ? 1 : 0)
        .row("match.all of one value", i -> -1)
        .row("match.all of one value agreed", i -> 1)
        .row("match.any.b64", i -> ballot(in, i, v -> (v & 7) == (in[i] & 7)))
        .row("halves", i -> halves(in, i))
        .row("activemask", i -> 1)
        .row("eq", i -> 1 << (i % 32))
        .row("lt", i -> (1L << (i % 32)) - 1)
        .row("le", i -> (2L << (i % 32)) - 1)
        .row("gt", i -> -(2L << (i % 32)))
        .row("ge", i -> -(1L << (i % 32)));
    return kernel("warp.ptx", "votes", in, rows);
  }

  private static long halves(int[] in, int i) {
    if (i % 32 < 16) {
      return (ballot(in, i, v -> (v & 2) != 0) & 0xFFFF) + in[segment(i, 32) + 3];
    }
    return (ballot(in, i, v -> (v & 4) != 0) & 0xFFFF_0000) ^ in[i ^ 2];
  }

  private static KernelCase barriers() {
    int[] in = input();
    Rows rows = new Rows(4, COUNT, i -> "thread " + i % BLOCK);
    rows.row(
            "sum",
            i -> {
              long sum = 0;
              for (int j = segment(i, BLOCK); j < segment(i, BLOCK) + BLOCK; j++) {
                sum += in[j];
              }
              return sum;
            })
        .row("count", i -> odd(in, i))
        .row("and", i -> odd(in, i) == BLOCK ? 1 : 0)
        .row("or", i -> odd(in, i) > 0 ? 1 : 0)
        .row(
            "barriers of two warps",
            i -> {
              int t = i % BLOCK;
              return t < 64 ? (63 - t) * 2 : t < 128 ? (191 - t) * 2 : 0;
            })
        .row(
            "arrive",
            i -> {
              int t = i % BLOCK;
              return t < 32 ? 64 + t + 1000 + 96 + t + 1000 : 1;
            });
    return kernel("warp.ptx", "block_barriers", in, rows);
  }

  private static int odd(int[] in, int i) {
    int count = 0;
    for (int j = segment(i, BLOCK); j < segment(i, BLOCK) + BLOCK; j++) {
      count += in[j] & 1;
    }
    return count;
  }

  private static KernelCase reductions() {
    int[] in = input();
    IntBinaryOperator least = (a, b) -> Integer.compareUnsigned(a, b) < 0 ? a : b;
    IntBinaryOperator most = (a, b) -> Integer.compareUnsigned(a, b) > 0 ? a : b;
    Rows rows = new Rows(4, COUNT, i -> "lane " + i % 32);
    rows.row("add", i -> fold(in, i, v -> v, Integer::sum))
        .row("min.u32", i -> fold(in, i, v -> v, least))
        .row("max.u32", i -> fold(in, i, v -> v, most))
        .row("min.s32", i -> fold(in, i, v -> v, Math::min))
        .row("max.s32", i -> fold(in, i, v -> v, Math::max))
        .row("and", i -> fold(in, i, v -> v | 0xFF, (a, b) -> a & b))
        .row("or", i -> fold(in, i, v -> v & 0xF0F, (a, b) -> a | b))
        .row("xor", i -> fold(in, i, v -> v, (a, b) -> a ^ b));
    return kernel("ampere.ptx", "warp_reductions", in, rows);
  }

  private static KernelCase backgroundCopies() {
    int[] in = new Random(42).ints(128).toArray();
    byte[] bytes = Buffers.of(in);
    Rows rows = new Rows(4, 256, i -> "word " + i);
    rows.row(
        "copies",
        i -> {
          if (i < 128) {
            return in[127 - i];
          }
          if (i < 192) {
            return in[i - 128];
          }
          // Only as many bytes as the thread's number; zeros follow.
          int word = (i - 192) % 4;
          int given = (i - 192) / 4;
          long value = 0;
          for (int b = 0; b < 4; b++) {
            int at = word * 4 + b;
            value |= at < given ? (bytes[given * 16 + at] & 0xFFL) << (8 * b) : 0;
          }
          return value;
        });
    return KernelCase.of(
            "ampere.ptx", "background_copies", 1, 128, bytes, Buffers.zeros(256 * 4), 128)
        .expect(1, rows);
  }
}
