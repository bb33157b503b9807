package dev.streamfence;

import java.util.Objects;

/**
 * Reads and writes single elements of device arrays, in the elements' own type. For counters and
 * flags: each read waits for a separate copy, so replace a loop over elements by one {@link
 * ReadableArray#download(DeviceStream, long, long) download}. {@link
 * ReadableArray#downloadLater(DeviceStream, long, long)} reads one element without waiting.
 * Thread-safe.
 *
 * <p>Every method throws an {@link IllegalArgumentException} for an index outside the array, a
 * {@link UseAfterFreeException} if the array is closed, and the other exceptions that {@link
 * DeviceArray} lists for an operation on a stream. The methods that read also throw an {@link
 * IllegalStateException} while {@link DeviceMemory#refuseDownloads} is on.
 */
public final class DeviceArrays {
  private DeviceArrays() {}

  private static <A> A download(ReadableArray<A> array, DeviceStream stream, long index, A value) {
    Objects.requireNonNull(array, "array").download(stream, index, value, 0, 1);
    return value;
  }

  /** Reads one element, like a download: waits until it is there. */
  public static boolean getBoolean(
      ReadableArray<boolean[]> array, DeviceStream stream, long index) {
    return download(array, stream, index, new boolean[1])[0];
  }

  /** Writes one element, like a fill: does not synchronise. */
  public static void setBoolean(
      DeviceArray<boolean[]> array, DeviceStream stream, long index, boolean value) {
    Objects.requireNonNull(array, "array").fill(stream, index, 1, value);
  }

  /** Reads one element, like a download: waits until it is there. */
  public static byte getByte(ReadableArray<byte[]> array, DeviceStream stream, long index) {
    return download(array, stream, index, new byte[1])[0];
  }

  /** Writes one element, like a fill: does not synchronise. */
  public static void setByte(
      DeviceArray<byte[]> array, DeviceStream stream, long index, byte value) {
    Objects.requireNonNull(array, "array").fill(stream, index, 1, value);
  }

  /** Reads one element, like a download: waits until it is there. */
  public static char getChar(ReadableArray<char[]> array, DeviceStream stream, long index) {
    return download(array, stream, index, new char[1])[0];
  }

  /** Writes one element, like a fill: does not synchronise. */
  public static void setChar(
      DeviceArray<char[]> array, DeviceStream stream, long index, char value) {
    Objects.requireNonNull(array, "array").fill(stream, index, 1, value);
  }

  /** Reads one element, like a download: waits until it is there. */
  public static short getShort(ReadableArray<short[]> array, DeviceStream stream, long index) {
    return download(array, stream, index, new short[1])[0];
  }

  /** Writes one element, like a fill: does not synchronise. */
  public static void setShort(
      DeviceArray<short[]> array, DeviceStream stream, long index, short value) {
    Objects.requireNonNull(array, "array").fill(stream, index, 1, value);
  }

  /** Reads one element, like a download: waits until it is there. */
  public static int getInt(ReadableArray<int[]> array, DeviceStream stream, long index) {
    return download(array, stream, index, new int[1])[0];
  }

  /** Writes one element, like a fill: does not synchronise. */
  public static void setInt(DeviceArray<int[]> array, DeviceStream stream, long index, int value) {
    Objects.requireNonNull(array, "array").fill(stream, index, 1, value);
  }

  /** Reads one element, like a download: waits until it is there. */
  public static long getLong(ReadableArray<long[]> array, DeviceStream stream, long index) {
    return download(array, stream, index, new long[1])[0];
  }

  /** Writes one element, like a fill: does not synchronise. */
  public static void setLong(
      DeviceArray<long[]> array, DeviceStream stream, long index, long value) {
    Objects.requireNonNull(array, "array").fill(stream, index, 1, value);
  }

  /** Reads one element, like a download: waits until it is there. */
  public static float getFloat(ReadableArray<float[]> array, DeviceStream stream, long index) {
    return download(array, stream, index, new float[1])[0];
  }

  /** Writes one element, like a fill: does not synchronise. */
  public static void setFloat(
      DeviceArray<float[]> array, DeviceStream stream, long index, float value) {
    Objects.requireNonNull(array, "array").fill(stream, index, 1, value);
  }

  /** Reads one element, like a download: waits until it is there. */
  public static double getDouble(ReadableArray<double[]> array, DeviceStream stream, long index) {
    return download(array, stream, index, new double[1])[0];
  }

  /** Writes one element, like a fill: does not synchronise. */
  public static void setDouble(
      DeviceArray<double[]> array, DeviceStream stream, long index, double value) {
    Objects.requireNonNull(array, "array").fill(stream, index, 1, value);
  }
}
