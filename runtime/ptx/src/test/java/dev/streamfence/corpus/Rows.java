package dev.streamfence.corpus;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * The expected results of a kernel that computes one row of values per operation, each row with one
 * value per thread.
 */
final class Rows implements KernelCase.Expectation {
  /** Gives the expected value for a thread. */
  @FunctionalInterface
  interface Expected {
    long at(int thread);
  }

  /** Gives the expected value, exact up to double precision. */
  @FunctionalInterface
  interface ExpectedNumber {
    double at(int thread);
  }

  /** One operation. */
  private record Row(String name, IntFunction<String> mismatchOf) {}

  private final int bytes;
  private final int threads;
  private final IntFunction<String> inputs;
  private final List<Row> rows = new ArrayList<>();
  private byte[] actual = {};

  Rows(int bytes, int threads, IntFunction<String> inputs) {
    this.bytes = bytes;
    this.threads = threads;
    this.inputs = inputs;
  }

  int sizeInBytes() {
    return rows.size() * threads * bytes;
  }

  /** Adds an operation whose results are exact to the bit. */
  Rows row(String name, Expected expected) {
    int k = rows.size();
    rows.add(
        new Row(
            name,
            i -> {
              long wanted = expected.at(i) & mask();
              long found = bits(k, i);
              return wanted == found
                  ? ""
                  : String.format("expected 0x%x but found 0x%x", wanted, found);
            }));
    return this;
  }

  /** Adds an operation with results to the bit where they are defined, such as not for a NaN. */
  Rows rowWhere(String name, IntPredicate defined, Expected expected) {
    int k = rows.size();
    rows.add(
        new Row(
            name,
            i -> {
              long wanted = expected.at(i) & mask();
              long found = bits(k, i);
              return wanted == found || !defined.test(i)
                  ? ""
                  : String.format("expected 0x%x but found 0x%x", wanted, found);
            }));
    return this;
  }

  /** Adds an operation on two packed halves: to the bit, except that any NaN is NaN. */
  Rows pairs(String name, ReferenceFloats format, Expected expected) {
    int k = rows.size();
    rows.add(
        new Row(
            name,
            i -> {
              long wanted = expected.at(i) & mask();
              long found = bits(k, i);
              return sameHalf(format, wanted & 0xFFFF, found & 0xFFFF)
                      && sameHalf(format, wanted >>> 16, found >>> 16)
                  ? ""
                  : String.format("expected 0x%x but found 0x%x", wanted, found);
            }));
    return this;
  }

  private static boolean sameHalf(ReferenceFloats format, long wanted, long found) {
    return wanted == found
        || (Double.isNaN(format.value(wanted)) && Double.isNaN(format.value(found)));
  }

  /** Adds an operation with floating-point results: to the bit, except that any NaN is NaN. */
  Rows floats(String name, ReferenceFloats format, Expected expected) {
    int k = rows.size();
    rows.add(
        new Row(
            name,
            i -> {
              long wanted = expected.at(i) & mask();
              long found = bits(k, i);
              boolean same =
                  wanted == found
                      || (Double.isNaN(format.value(wanted)) && Double.isNaN(format.value(found)));
              return same
                  ? ""
                  : String.format(
                      "expected 0x%x = %s but found 0x%x = %s",
                      wanted, format.value(wanted), found, format.value(found));
            }));
    return this;
  }

  /** Adds an operation whose results may be off by so much, relatively or absolutely. */
  Rows near(
      String name,
      ReferenceFloats format,
      double relative,
      double absolute,
      ExpectedNumber expected) {
    int k = rows.size();
    rows.add(
        new Row(
            name,
            i -> {
              double wanted = expected.at(i);
              double found = format.value(bits(k, i));
              boolean close =
                  Math.abs(found - wanted) <= Math.max(absolute, relative * Math.abs(wanted))
                      || found == wanted
                      || (Double.isNaN(found) && Double.isNaN(wanted));
              return close ? "" : "expected about " + wanted + " but found " + found;
            }));
    return this;
  }

  private long mask() {
    return bytes == 8 ? -1L : (1L << (8 * bytes)) - 1;
  }

  private long bits(int row, int thread) {
    ByteBuffer view = Buffers.view(actual);
    int at = (row * threads + thread) * bytes;
    return switch (bytes) {
      case 1 -> view.get(at) & 0xFFL;
      case 2 -> view.getShort(at) & 0xFFFFL;
      case 4 -> view.getInt(at) & 0xFFFF_FFFFL;
      default -> view.getLong(at);
    };
  }

  @Override
  public void check(byte[] result) {
    actual = result;
    if (result.length != sizeInBytes()) {
      throw new AssertionError(result.length + " bytes for " + rows.size() + " rows");
    }
    List<String> mismatches = new ArrayList<>();
    for (Row row : rows) {
      int wrong = 0;
      String first = "";
      for (int i = 0; i < threads; i++) {
        String mismatch = row.mismatchOf.apply(i);
        if (!mismatch.isEmpty() && wrong++ == 0) {
          first = "thread " + i + " with " + inputs.apply(i) + ": " + mismatch;
        }
      }
      if (wrong > 0) {
        mismatches.add(row.name + " is wrong in " + wrong + " of " + threads + ", " + first);
      }
    }
    if (!mismatches.isEmpty()) {
      throw new AssertionError(String.join("\n", mismatches));
    }
  }
}
