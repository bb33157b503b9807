package dev.streamfence.examples.e06_cublas;

/** A library that multiplies matrices of floats in device memory, on streams that it is given. */
public interface MatrixProducts {
  /**
   * Puts {@code product = left × right} on a stream, for square matrices that have their rows one
   * after the other. Does not synchronise.
   *
   * @param stream the handle of the stream
   * @param left the device address of the left factor
   * @param right the device address of the right factor
   * @param product the device address of the product
   * @param size the number of rows, which is that of the columns
   */
  void multiply(long stream, long left, long right, long product, int size);
}
