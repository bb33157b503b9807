package dev.streamfence.corpus;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** The kernels of {@code integer.cu}, with results computed from big integers and single bits. */
final class IntegerCases {
  private static final String FILE = "integer.ptx";
  private static final int COUNT = 2048;
  private static final int[] NO_PERMUTE = {};

  private IntegerCases() {}

  /** An operation on three values of which only the low bits count. */
  @FunctionalInterface
  private interface Ternary {
    long of(long a, long b, long c);
  }

  /** The columns of input, and the rows of results of one width. */
  private static final class Table {
    final int bits;
    final long[][] in;
    final Rows rows;

    Table(int bits, long seed) {
      this.bits = bits;
      in = new Inputs(seed).integers(COUNT);
      rows =
          new Rows(
              bits / 8,
              COUNT,
              i -> String.format("0x%x, 0x%x, 0x%x", in[0][i], in[1][i], in[2][i]));
    }

    long unsigned(long value) {
      return bits == 64 ? value : value & ((1L << bits) - 1);
    }

    long signed(long value) {
      return value << (64 - bits) >> (64 - bits);
    }

    /** Adds an operation on unsigned values. */
    Table u(String name, Ternary f) {
      rows.row(name, i -> f.of(unsigned(in[0][i]), unsigned(in[1][i]), unsigned(in[2][i])));
      return this;
    }

    /** Adds an operation on signed values. */
    Table s(String name, Ternary f) {
      rows.row(name, i -> f.of(signed(in[0][i]), signed(in[1][i]), signed(in[2][i])));
      return this;
    }

    byte[] column(int index) {
      return switch (bits) {
        case 16 -> {
          short[] values = new short[COUNT];
          for (int i = 0; i < COUNT; i++) {
            values[i] = (short) in[index][i];
          }
          yield Buffers.of(values);
        }
        case 32 -> {
          int[] values = new int[COUNT];
          for (int i = 0; i < COUNT; i++) {
            values[i] = (int) in[index][i];
          }
          yield Buffers.of(values);
        }
        default -> Buffers.of(in[index]);
      };
    }

    KernelCase of(String entry) {
      return KernelCase.of(
              FILE,
              entry,
              COUNT / 256,
              256,
              column(0),
              column(1),
              column(2),
              Buffers.zeros(rows.sizeInBytes()),
              COUNT)
          .expect(3, rows);
    }
  }

  static List<KernelCase> all() {
    List<KernelCase> cases = new ArrayList<>();
    cases.add(arithmetic32().of("integer32"));
    cases.add(comparisons().of("comparisons32"));
    cases.add(integer64().of("integer64"));
    cases.add(carries().of("carries"));
    cases.add(integer16().of("integer16"));
    return cases;
  }

  private static BigInteger big(long signed) {
    return BigInteger.valueOf(signed);
  }

  private static BigInteger bigUnsigned(long value) {
    return new BigInteger(Long.toUnsignedString(value));
  }

  private static long saturated(BigInteger exact) {
    return exact.max(big(Integer.MIN_VALUE)).min(big(Integer.MAX_VALUE)).longValueExact();
  }

  /** Replaces the divisors that the kernels avoid, too. */
  private static long divisor(long b, int bits) {
    long all = bits == 64 ? -1L : (1L << bits) - 1;
    return (b & all) == 0 || (b & all) == all ? 3 : b;
  }

  private static long signed24(long value) {
    return value << 40 >> 40;
  }

  private static long bit(long value, long index) {
    return value >>> index & 1;
  }

  private static long firstBit(long value, int bits) {
    for (int i = bits - 1; i >= 0; i--) {
      if (bit(value, i) != 0) {
        return i;
      }
    }
    return -1;
  }

  private static long extract(long value, long at, long length, int bits, boolean signed) {
    long position = at & 0xFF;
    long count = length & 0xFF;
    long sign = !signed || count == 0 ? 0 : bit(value, Math.min(position + count - 1, bits - 1L));
    long result = 0;
    for (int i = 0; i < bits; i++) {
      long taken = i < count && position + i < bits ? bit(value, position + i) : sign;
      result |= taken << i;
    }
    return result;
  }

  private static long insert(long value, long into, long at, long length, int bits) {
    long position = at & 0xFF;
    long count = length & 0xFF;
    long result = into;
    for (int i = 0; i < count && position + i < bits; i++) {
      long mask = 1L << (position + i);
      result = bit(value, i) != 0 ? result | mask : result & ~mask;
    }
    return result;
  }

  private static long logic(long a, long b, long c, int table) {
    long result = 0;
    for (int i = 0; i < 32; i++) {
      long index = bit(a, i) << 2 | bit(b, i) << 1 | bit(c, i);
      result |= bit(table, index) << i;
    }
    return result;
  }

  /** Picks bytes by the published table of a mode, or by the selectors in {@code c}. */
  private static long permute(long a, long b, long c, int... table) {
    long result = 0;
    for (int i = 0; i < 4; i++) {
      int selector =
          table.length == 0
              ? (int) (c >> (4 * i)) & 15
              // Tables list the highest byte first.
              : table[(int) (c & 3) * 4 + (3 - i)];
      long picked = (selector & 4) != 0 ? b >>> (8 * (selector & 3)) : a >>> (8 * (selector & 3));
      byte value = (byte) picked;
      result |= ((selector & 8) != 0 ? (value < 0 ? 0xFFL : 0) : value & 0xFFL) << (8 * i);
    }
    return result;
  }

  private static long dot(
      long a, long b, long c, int parts, boolean signedA, boolean signedB, int from) {
    long sum = c;
    for (int i = 0; i < parts; i++) {
      int width = 32 / parts;
      long x = a >>> (i * width) & ((1L << width) - 1);
      long y = b >>> (8 * (i + from)) & 0xFF;
      x = signedA ? x << (64 - width) >> (64 - width) : x;
      sum += x * (signedB ? (byte) y : y);
    }
    return sum;
  }

  private static long findNth(long mask, long base, long n) {
    List<Integer> positions = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      if (bit(mask, i) != 0 && (n > 0 ? i >= base : n < 0 ? i <= base : i == base)) {
        positions.add(n > 0 ? positions.size() : 0, i);
      }
    }
    int wanted = (int) Math.max(0, Math.abs(n) - 1);
    return wanted < positions.size() ? positions.get(wanted) : -1;
  }

  private static Table arithmetic32() {
    Table t = new Table(32, 1);
    t.u("add", (a, b, c) -> a + b)
        .u("sub", (a, b, c) -> a - b)
        .u("mul.lo", (a, b, c) -> a * b)
        .s("mul.hi.s32", (a, b, c) -> (a * b) >> 32)
        .u("mul.hi.u32", (a, b, c) -> (a * b) >>> 32)
        .u("mad.lo", (a, b, c) -> a * b + c)
        .s("mad.hi.s32", (a, b, c) -> ((a * b) >> 32) + c)
        .u("mad.hi.u32", (a, b, c) -> ((a * b) >>> 32) + c)
        .s("mul24.lo.s32", (a, b, c) -> signed24(a) * signed24(b))
        .u("mul24.lo.u32", (a, b, c) -> (a & 0xFFFFFF) * (b & 0xFFFFFF))
        .s("mul24.hi.s32", (a, b, c) -> (signed24(a) * signed24(b)) >> 16)
        .u("mul24.hi.u32", (a, b, c) -> ((a & 0xFFFFFF) * (b & 0xFFFFFF)) >> 16)
        .s("mad24.lo.s32", (a, b, c) -> signed24(a) * signed24(b) + c)
        .u("mad24.hi.u32", (a, b, c) -> (((a & 0xFFFFFF) * (b & 0xFFFFFF)) >> 16) + c)
        .s("div.s32", (a, b, c) -> a / divisor(b, 32))
        .u("div.u32", (a, b, c) -> a / divisor(b, 32))
        .s("rem.s32", (a, b, c) -> a % divisor(b, 32))
        .u("rem.u32", (a, b, c) -> a % divisor(b, 32))
        .s("abs", (a, b, c) -> Math.abs(a))
        .s("neg", (a, b, c) -> -a)
        .s("min.s32", (a, b, c) -> Math.min(a, b))
        .s("max.s32", (a, b, c) -> Math.max(a, b))
        .u("min.u32", (a, b, c) -> Math.min(a, b))
        .u("max.u32", (a, b, c) -> Math.max(a, b))
        .s("sad.s32", (a, b, c) -> Math.abs(a - b) + c)
        .u("sad.u32", (a, b, c) -> Math.abs(a - b) + c)
        .s("add.sat", (a, b, c) -> saturated(big(a + b)))
        .s("sub.sat", (a, b, c) -> saturated(big(a - b)))
        .s("mad.hi.sat", (a, b, c) -> saturated(big(((a * b) >> 32) + c)))
        .u("and", (a, b, c) -> a & b)
        .u("or", (a, b, c) -> a | b)
        .u("xor", (a, b, c) -> a ^ b)
        .u("not", (a, b, c) -> ~a)
        .u("cnot", (a, b, c) -> a == 0 ? 1 : 0)
        .u("shl", (a, b, c) -> b > 31 ? 0 : a << b)
        .rows
        .row("shr.s32", i -> t.signed(t.in[0][i]) >> Math.min(31, t.unsigned(t.in[1][i])));
    t.u("shr.u32", (a, b, c) -> b > 31 ? 0 : a >> b)
        .u("shf.l.wrap", (a, b, c) -> ((b << 32 | a) << (c & 31)) >>> 32)
        .u("shf.l.clamp", (a, b, c) -> ((b << 32 | a) << Math.min(c, 32)) >>> 32)
        .u("shf.r.wrap", (a, b, c) -> (b << 32 | a) >>> (c & 31))
        .u("shf.r.clamp", (a, b, c) -> (b << 32 | a) >>> Math.min(c, 32))
        .u("lop3 0x96", (a, b, c) -> logic(a, b, c, 0x96))
        .u("lop3 0xE8", (a, b, c) -> logic(a, b, c, 0xE8))
        .u("lop3 0x1B", (a, b, c) -> logic(a, b, c, 0x1B))
        .u("popc", (a, b, c) -> big(a).bitCount())
        .u("clz", (a, b, c) -> 32 - big(a).bitLength())
        .u("brev", (a, b, c) -> Integer.reverse((int) a))
        .u("bfind.u32", (a, b, c) -> firstBit(a, 32))
        .s("bfind.s32", (a, b, c) -> firstBit(a < 0 ? ~a : a, 32))
        .u("bfind.shiftamt.u32", (a, b, c) -> a == 0 ? -1 : 31 - firstBit(a, 32))
        .s(
            "bfind.shiftamt.s32",
            (a, b, c) -> a == 0 || a == -1 ? -1 : 31 - firstBit(a < 0 ? ~a : a, 32))
        .u("bfe.u32", (a, b, c) -> extract(a, b, c, 32, false))
        .u("bfe.s32", (a, b, c) -> extract(a, b, c, 32, true))
        .u("bfi", (a, b, c) -> insert(a, b, c, c >> 8, 32))
        .u("fns", (a, b, c) -> findNth(a, b & 31, (int) c % 9))
        .u("__byte_perm", (a, b, c) -> permute(a, b, c & 0x7777, NO_PERMUTE))
        .u("prmt", (a, b, c) -> permute(a, b, c, NO_PERMUTE))
        .u(
            "prmt.f4e",
            (a, b, c) -> permute(a, b, c, 3, 2, 1, 0, 4, 3, 2, 1, 5, 4, 3, 2, 6, 5, 4, 3))
        .u(
            "prmt.b4e",
            (a, b, c) -> permute(a, b, c, 5, 6, 7, 0, 6, 7, 0, 1, 7, 0, 1, 2, 0, 1, 2, 3))
        .u(
            "prmt.rc8",
            (a, b, c) -> permute(a, b, c, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3))
        .u(
            "prmt.ecl",
            (a, b, c) -> permute(a, b, c, 3, 2, 1, 0, 3, 2, 1, 1, 3, 2, 2, 2, 3, 3, 3, 3))
        .u(
            "prmt.ecr",
            (a, b, c) -> permute(a, b, c, 0, 0, 0, 0, 1, 1, 1, 0, 2, 2, 1, 0, 3, 2, 1, 0))
        .u(
            "prmt.rc16",
            (a, b, c) -> permute(a, b, c, 1, 0, 1, 0, 3, 2, 3, 2, 1, 0, 1, 0, 3, 2, 3, 2))
        .u("dp4a.s32.s32", (a, b, c) -> dot(a, b, c, 4, true, true, 0))
        .u("dp4a.u32.u32", (a, b, c) -> dot(a, b, c, 4, false, false, 0))
        .u("dp4a.s32.u32", (a, b, c) -> dot(a, b, c, 4, true, false, 0))
        .u("dp4a.u32.s32", (a, b, c) -> dot(a, b, c, 4, false, true, 0))
        .u("dp2a.lo.s32.s32", (a, b, c) -> dot(a, b, c, 2, true, true, 0))
        .u("dp2a.hi.u32.u32", (a, b, c) -> dot(a, b, c, 2, false, false, 2))
        .s("selp", (a, b, c) -> a < b ? a : c)
        .s("slct", (a, b, c) -> c >= 0 ? a : b);
    return t;
  }

  private static Table comparisons() {
    Table t = new Table(32, 2);
    t.s("eq", (a, b, c) -> a == b ? -1 : 0)
        .s("ne", (a, b, c) -> a != b ? -1 : 0)
        .s("lt", (a, b, c) -> a < b ? -1 : 0)
        .s("le", (a, b, c) -> a <= b ? -1 : 0)
        .s("gt", (a, b, c) -> a > b ? -1 : 0)
        .s("ge", (a, b, c) -> a >= b ? -1 : 0)
        .u("lo", (a, b, c) -> a < b ? -1 : 0)
        .u("ls", (a, b, c) -> a <= b ? -1 : 0)
        .u("hi", (a, b, c) -> a > b ? -1 : 0)
        .u("hs", (a, b, c) -> a >= b ? -1 : 0)
        .s("lt to float", (a, b, c) -> a < b ? Float.floatToIntBits(1) : 0)
        .s("gt.and p", (a, b, c) -> a > b && a < c ? 1 : 0)
        .s("gt.and q", (a, b, c) -> !(a > b) && a < c ? 1 : 0)
        .s(
            "le.or p",
            (a, b, c) -> Integer.compareUnsigned((int) a, (int) b) <= 0 || !(a < c) ? 1 : 0)
        .s(
            "le.or q",
            (a, b, c) -> Integer.compareUnsigned((int) a, (int) b) > 0 || !(a < c) ? 1 : 0)
        .s("ne.xor", (a, b, c) -> (a != b) ^ (a < c) ? 0 : 1);
    return t;
  }

  private static Table integer64() {
    Table t = new Table(64, 3);
    t.s("add", (a, b, c) -> big(a).add(big(b)).longValue())
        .s("sub", (a, b, c) -> big(a).subtract(big(b)).longValue())
        .s("mul.lo", (a, b, c) -> big(a).multiply(big(b)).longValue())
        .s("mul.hi.s64", (a, b, c) -> high(big(a).multiply(big(b))))
        .s("mul.hi.u64", (a, b, c) -> high(bigUnsigned(a).multiply(bigUnsigned(b))))
        .s("mad.lo", (a, b, c) -> big(a).multiply(big(b)).add(big(c)).longValue())
        .s("mad.hi.u64", (a, b, c) -> high(bigUnsigned(a).multiply(bigUnsigned(b))) + c)
        .s("mad.hi.s64", (a, b, c) -> high(big(a).multiply(big(b))) + c)
        .s("mul.wide.s32", (a, b, c) -> big((int) a).multiply(big((int) b)).longValue())
        .s("mul.wide.u32", (a, b, c) -> big(low(a)).multiply(big(low(b))).longValue())
        .s("mad.wide.s32", (a, b, c) -> big((int) a).multiply(big((int) b)).longValue() + c)
        .s("mad.wide.u32", (a, b, c) -> big(low(a)).multiply(big(low(b))).longValue() + c)
        .s("div.s64", (a, b, c) -> a / divisor(b, 64))
        .s("div.u64", (a, b, c) -> bigUnsigned(a).divide(bigUnsigned(divisor(b, 64))).longValue())
        .s("rem.s64", (a, b, c) -> a % divisor(b, 64))
        .s("rem.u64", (a, b, c) -> bigUnsigned(a).mod(bigUnsigned(divisor(b, 64))).longValue())
        .s("abs", (a, b, c) -> big(a).abs().longValue())
        .s("neg", (a, b, c) -> big(a).negate().longValue())
        .s("min.s64", (a, b, c) -> Math.min(a, b))
        .s("max.s64", (a, b, c) -> Math.max(a, b))
        .s("min.u64", (a, b, c) -> bigUnsigned(a).min(bigUnsigned(b)).longValue())
        .s("max.u64", (a, b, c) -> bigUnsigned(a).max(bigUnsigned(b)).longValue())
        .s("sad.s64", (a, b, c) -> big(a).subtract(big(b)).abs().longValue() + c)
        .s("sad.u64", (a, b, c) -> bigUnsigned(a).subtract(bigUnsigned(b)).abs().longValue() + c)
        .s("and", (a, b, c) -> a & b)
        .s("or", (a, b, c) -> a | b)
        .s("xor", (a, b, c) -> a ^ b)
        .s("not", (a, b, c) -> -1 - a)
        .s("cnot", (a, b, c) -> a == 0 ? 1 : 0)
        .s("shl", (a, b, c) -> low(b) > 63 ? 0 : a << low(b))
        .s("shr.s64", (a, b, c) -> a >> Math.min(63, low(b)))
        .s("shr.u64", (a, b, c) -> low(b) > 63 ? 0 : a >>> low(b))
        .s("popc", (a, b, c) -> bigUnsigned(a).bitCount())
        .s("clz", (a, b, c) -> 64 - bigUnsigned(a).bitLength())
        .s("brev", (a, b, c) -> Long.reverse(a))
        .s("bfind.u64", (a, b, c) -> low(firstBit(a, 64)))
        .s("bfind.s64", (a, b, c) -> low(firstBit(a < 0 ? ~a : a, 64)))
        .s("bfe.u64", (a, b, c) -> extract(a, b, c, 64, false))
        .s("bfe.s64", (a, b, c) -> extract(a, b, c, 64, true))
        .s("bfi", (a, b, c) -> insert(a, b, c, low(c) >> 8, 64))
        .s("lt.s64", (a, b, c) -> a < b ? 1 : 0)
        .s("lt.u64", (a, b, c) -> bigUnsigned(a).compareTo(bigUnsigned(b)) < 0 ? 1 : 0)
        .s("ge.s64", (a, b, c) -> a >= b ? 1 : 0)
        .s("ge.u64", (a, b, c) -> bigUnsigned(a).compareTo(bigUnsigned(b)) >= 0 ? 1 : 0);
    return t;
  }

  private static long low(long value) {
    return value & 0xFFFF_FFFFL;
  }

  private static long high(BigInteger product) {
    return product.shiftRight(64).longValue();
  }

  private static BigInteger wide(long low, long high) {
    return bigUnsigned(low).add(bigUnsigned(high).shiftLeft(64));
  }

  /** The three 32-bit words that the kernel makes long numbers of. */
  private static BigInteger words(long first, long second, long third) {
    return big(low(first)).add(big(low(second)).shiftLeft(32)).add(big(low(third)).shiftLeft(64));
  }

  private static Table carries() {
    Table t = new Table(64, 4);
    t.s("add low", (a, b, c) -> a + b)
        .s("add high", (a, b, c) -> high(wide(a, b).add(wide(b, c))))
        .s("sub low", (a, b, c) -> a - b)
        .s("sub high", (a, b, c) -> high(wide(a, b).subtract(wide(b, c))))
        .s("mad low", (a, b, c) -> a * b + c)
        .s(
            "mad high",
            (a, b, c) -> high(bigUnsigned(a).multiply(bigUnsigned(b)).add(bigUnsigned(c))))
        .s(
            "three words low",
            (a, b, c) -> words(a, a >>> 32, c).add(words(b, b >>> 32, c >>> 32)).longValue())
        .s(
            "three words high",
            (a, b, c) -> low(high(words(a, a >>> 32, c).add(words(b, b >>> 32, c >>> 32)))))
        .s(
            "three words less low",
            (a, b, c) -> words(a, a >>> 32, c).subtract(words(b, b >>> 32, c >>> 32)).longValue())
        .s(
            "three words less high",
            (a, b, c) -> low(high(words(a, a >>> 32, c).subtract(words(b, b >>> 32, c >>> 32)))))
        .s("mad words", (a, b, c) -> big(low(a)).multiply(big(low(b))).add(big(c)).longValue());
    return t;
  }

  private static Table integer16() {
    Table t = new Table(16, 5);
    t.s("add", (a, b, c) -> a + b)
        .u("sub", (a, b, c) -> a - b)
        .s("mul.lo", (a, b, c) -> a * b)
        .s("mul.hi.s16", (a, b, c) -> (a * b) >> 16)
        .u("mul.hi.u16", (a, b, c) -> (a * b) >> 16)
        .s("mul.wide.s16", (a, b, c) -> (a * b) >> 16)
        .u("mul.wide.u16", (a, b, c) -> (a * b) >> 16)
        .u("mad.wide.u16", (a, b, c) -> (a * b + (c << 8)) >> 16)
        .u("mad.lo", (a, b, c) -> a * b + c)
        .s("div.s16", (a, b, c) -> a / divisor(b, 16))
        .u("div.u16", (a, b, c) -> a / divisor(b, 16))
        .s("rem.s16", (a, b, c) -> a % divisor(b, 16))
        .u("rem.u16", (a, b, c) -> a % divisor(b, 16))
        .s("min.s16", (a, b, c) -> Math.min(a, b))
        .s("max.s16", (a, b, c) -> Math.max(a, b))
        .u("min.u16", (a, b, c) -> Math.min(a, b))
        .u("max.u16", (a, b, c) -> Math.max(a, b))
        .s("abs", (a, b, c) -> Math.abs(a))
        .s("neg", (a, b, c) -> -a)
        .s("sad", (a, b, c) -> Math.abs(a - b) + c)
        .u("and", (a, b, c) -> a & b)
        .u("or", (a, b, c) -> a | b)
        .u("xor", (a, b, c) -> a ^ b)
        .u("not", (a, b, c) -> ~a)
        .u("cnot", (a, b, c) -> a == 0 ? 1 : 0)
        .u("shl", (a, b, c) -> b > 15 ? 0 : a << b)
        .rows
        .row("shr.s16", i -> t.signed(t.in[0][i]) >> Math.min(15, t.unsigned(t.in[1][i])));
    t.u("shr.u16", (a, b, c) -> b > 15 ? 0 : a >> b);
    return t;
  }
}
