package dev.streamfence.corpus;

import dev.streamfence.internal.ptx.syntax.PtxGrid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * The kernels of {@code memory.cu}, optimised and as debug code, and those of {@code atomics.cu}.
 */
final class MemoryCases {
  private static final int COUNT = 512;

  private MemoryCases() {}

  static List<KernelCase> all() {
    List<KernelCase> cases = new ArrayList<>();
    for (KernelCase kernel : List.of(widths(), vectors(), spaces())) {
      cases.add(kernel);
      cases.add(kernel.fromFile("memory-debug.ptx"));
    }
    cases.addAll(List.of(atomics32(), atomics64(), atomicsInShared(), spinLock()));
    return cases;
  }

  private static byte[] random(int bytes, long seed) {
    byte[] values = new byte[bytes];
    new Random(seed).nextBytes(values);
    return values;
  }

  /** Expects a buffer to be equal to another one. */
  private static KernelCase.Expectation equalTo(byte[] wanted) {
    return actual -> {
      for (int i = 0; i < wanted.length; i++) {
        if (actual[i] != wanted[i]) {
          throw new AssertionError(
              String.format("byte %d is 0x%02x instead of 0x%02x", i, actual[i], wanted[i]));
        }
      }
    };
  }

  private static KernelCase.Expectation equalTo(int... wanted) {
    return actual -> {
      int[] found = Buffers.ints(actual);
      for (int i = 0; i < wanted.length; i++) {
        if (found[i] != wanted[i]) {
          throw new AssertionError(i + " is " + found[i] + " instead of " + wanted[i]);
        }
      }
    };
  }

  private static KernelCase widths() {
    byte[] bytes = random(COUNT, 1);
    byte[] shorts = random(COUNT * 2, 2);
    byte[] words = random(COUNT * 4, 3);
    byte[] longs = random(COUNT * 8, 4);
    byte[] bytesOut = new byte[COUNT];
    byte[] shortsOut = new byte[COUNT * 2];
    byte[] wordsOut = new byte[COUNT * 4];
    byte[] longsOut = new byte[COUNT * 8];
    for (int i = 0; i < COUNT; i++) {
      short s = Buffers.view(shorts).getShort(2 * i);
      bytesOut[i] = (byte) (bytes[i] + 1);
      Buffers.view(shortsOut).putShort(2 * i, (short) (s + 1));
      Buffers.view(wordsOut).putInt(4 * i, Buffers.view(words).getInt(4 * i) + bytes[i]);
      Buffers.view(longsOut).putLong(8 * i, Buffers.view(longs).getLong(8 * i) + s);
    }
    return KernelCase.of(
            "memory.ptx",
            "widths",
            COUNT / 128,
            128,
            bytes,
            shorts,
            words,
            longs,
            Buffers.zeros(COUNT),
            Buffers.zeros(COUNT * 2),
            Buffers.zeros(COUNT * 4),
            Buffers.zeros(COUNT * 8),
            COUNT)
        .expect(4, equalTo(bytesOut))
        .expect(5, equalTo(shortsOut))
        .expect(6, equalTo(wordsOut))
        .expect(7, equalTo(longsOut));
  }

  /** Reverses the order of elements within each group. */
  private static byte[] reversed(byte[] values, int element, int group) {
    byte[] result = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      int index = i / element;
      int within = index % group;
      int target = index - within + group - 1 - within;
      result[target * element + i % element] = values[i];
    }
    return result;
  }

  private static KernelCase vectors() {
    byte[] pairs = random(COUNT * 8, 5);
    byte[] quads = random(COUNT * 16, 6);
    byte[] colors = random(COUNT * 4, 7);
    byte[] doubles = random(COUNT * 16, 8);
    return KernelCase.of(
            "memory.ptx",
            "vectors",
            COUNT / 128,
            128,
            pairs,
            quads,
            colors,
            doubles,
            Buffers.zeros(pairs.length),
            Buffers.zeros(quads.length),
            Buffers.zeros(colors.length),
            Buffers.zeros(doubles.length),
            COUNT)
        .expect(4, equalTo(reversed(pairs, 4, 2)))
        .expect(5, equalTo(reversed(quads, 4, 4)))
        .expect(6, equalTo(reversed(colors, 1, 4)))
        .expect(7, equalTo(reversed(doubles, 8, 2)));
  }

  private static KernelCase spaces() {
    int n = 256;
    int[] in = new Random(9).ints(n, 0, 1000).toArray();
    KernelStruct given = new KernelStruct(new byte[16]);
    Buffers.view(given.bytes()).put(0, (byte) 200).putInt(4, -50).putDouble(8, 1.25);
    int[] squares = {0, 1, 4, 9, 16, 25, 36, 49};
    Rows rows = new Rows(4, n, i -> "in " + in[i]);
    rows.row("local", i -> in[(i + (in[i] & 7)) % n] + (in[i] & 7))
        .row("shared", i -> in[i - i % 64 + 63 - i % 64])
        .row("dynamic and bytes", i -> in[i - i % 64 + (i % 64 + 1 & 63)] * 2 + i % 3 + 5)
        .row("constant array", i -> squares[in[i] & 7])
        .row("constant structure", i -> 7 - 3 + 2)
        .row("global pointers", i -> 40 + 0 + 4)
        .row("global array", i -> (i & 1) * 3 + i % 3 + 1)
        .row(
            "generic",
            i ->
                (i & 1) != 0
                    ? in[i - i % 64 + 2]
                    : (i & 2) != 0 ? in[(i + 2) % n] + 2 : (i & 4) != 0 ? 4 : in[2])
        .row("recursion", i -> factorial(i % 11))
        .row("structures", i -> 200 + (-50 + i) + (int) (1.25 * i))
        .row("stores by address", i -> i * 3)
        .row("isspacep", i -> (i & 1) != 0 ? 1 : (i & 2) != 0 ? 4 : 0)
        .row("ldu and volatile", i -> in[i] * 2)
        .row("relaxed and release", i -> in[i]);
    return KernelCase.of(
            "memory.ptx",
            "spaces",
            new PtxGrid(n / 64, 1, 1, 64, 1, 1, 256),
            Buffers.of(in),
            Buffers.zeros(rows.sizeInBytes()),
            given,
            n)
        .expect(1, rows);
  }

  private static int factorial(int n) {
    int product = 1;
    for (int i = 2; i <= n; i++) {
      product *= i;
    }
    return product;
  }

  private static KernelCase atomics32() {
    int n = 300;
    int[] in = new Random(10).ints(n).toArray();
    int[] cells = new int[19];
    cells[2] = Integer.MAX_VALUE;
    cells[3] = Integer.MIN_VALUE;
    cells[4] = -1;
    cells[6] = -1;
    cells[10] = 3;
    cells[12] = 1;
    int[] wanted = cells.clone();
    int odd = 0;
    for (int v : in) {
      wanted[0] += v;
      wanted[1] -= v;
      wanted[2] = Math.min(wanted[2], v);
      wanted[3] = Math.max(wanted[3], v);
      wanted[4] = Integer.compareUnsigned(v, wanted[4]) < 0 ? v : wanted[4];
      wanted[5] = Integer.compareUnsigned(v, wanted[5]) > 0 ? v : wanted[5];
      wanted[6] &= v | 0x0F0F;
      wanted[7] |= v & 0xF0F0;
      wanted[8] ^= v;
      wanted[9] = wanted[9] >= 6 ? 0 : wanted[9] + 1;
      wanted[10] = wanted[10] == 0 || wanted[10] > 4 ? 4 : wanted[10] - 1;
      wanted[11] = 77;
      wanted[12] = wanted[12] * 3 + 1;
      wanted[13]++;
      odd += v & 15;
      wanted[15] += 2;
      wanted[16] += 3;
      wanted[18] = Math.max(wanted[18], v);
    }
    wanted[14] = Float.floatToIntBits(odd);
    // 300 times 0.5 and 1, which halves hold exactly on the way.
    wanted[17] =
        (int)
            (ReferenceFloats.HALF.round(150.0, 'n') | ReferenceFloats.HALF.round(300.0, 'n') << 16);
    int[] seen = new int[n];
    Arrays.fill(seen, 1);
    return KernelCase.of(
            "atomics.ptx",
            "atomics32",
            3,
            128,
            Buffers.of(in),
            Buffers.of(cells),
            Buffers.zeros(n * 4),
            n)
        .expect(1, equalTo(wanted))
        .expect(2, equalTo(seen));
  }

  private static KernelCase atomics64() {
    int n = 200;
    int[] in = new Random(11).ints(n).toArray();
    long[] cells = {0, Long.MAX_VALUE, Long.MIN_VALUE, -1, 0, -1, 0, 0, 0, 7, 0};
    long[] wanted = cells.clone();
    double sum = 0;
    for (int value : in) {
      long v = (long) value << 20;
      wanted[0] += v;
      wanted[1] = Math.min(wanted[1], v);
      wanted[2] = Math.max(wanted[2], v);
      wanted[3] = Long.compareUnsigned(v, wanted[3]) < 0 ? v : wanted[3];
      wanted[4] = Long.compareUnsigned(v, wanted[4]) > 0 ? v : wanted[4];
      wanted[5] &= v | 0xFF;
      wanted[6] |= v;
      wanted[7] ^= v;
      wanted[8] = 99;
      wanted[9] += 5;
      sum += value & 255;
    }
    wanted[10] = Double.doubleToLongBits(sum);
    return KernelCase.of("atomics.ptx", "atomics64", 2, 128, Buffers.of(in), Buffers.of(cells), n)
        .expect(1, equalTo(Buffers.of(wanted)));
  }

  private static KernelCase atomicsInShared() {
    int n = 1000;
    int[] in = new Random(12).ints(n).toArray();
    int[] wanted = new int[13];
    wanted[1] = Integer.MIN_VALUE;
    long wide = 0;
    for (int v : in) {
      wanted[0] += v;
      wanted[1] = Math.max(wanted[1], v);
      wanted[2] += v & 3;
      wide += v & 0xFFFF_FFFFL;
      wanted[5 + (v & 7)]++;
    }
    wanted[3] = (int) wide;
    wanted[4] = (int) (wide >> 32);
    return KernelCase.of(
            "atomics.ptx", "atomics_shared", 1, 96, Buffers.of(in), Buffers.zeros(13 * 4), n)
        .expect(1, equalTo(wanted));
  }

  private static KernelCase spinLock() {
    return KernelCase.of("atomics.ptx", "spin_lock", 2, 96, Buffers.zeros(4), Buffers.zeros(4))
        .expect(0, equalTo(0))
        .expect(1, equalTo(192));
  }
}
