package dev.streamfence;

/**
 * A launch was refused because its kernel would touch an element that an array does not have.
 * Nothing was launched.
 */
public final class ArrayTooShortException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final String kernel;
  private final String parameter;
  private final long length;
  private final long element;

  /**
   * Creates the exception.
   *
   * @param kernel the entry point
   * @param parameter the array's parameter, {@code column.values} for a field of a structure
   * @param length the array's elements
   * @param element the index of the element that the kernel would touch; negative in front of the
   *     array
   * @param access what the kernel does with the element, with the numbers that decide it and the
   *     line of the code, in words
   */
  public ArrayTooShortException(
      String kernel, String parameter, long length, long element, String access) {
    super(
        kernel
            + ": parameter '"
            + parameter
            + "' has "
            + length
            + (length == 1 ? " element" : " elements")
            + "; the kernel "
            + access);
    this.kernel = kernel;
    this.parameter = parameter;
    this.length = length;
    this.element = element;
  }

  /** The entry point. */
  public String kernel() {
    return kernel;
  }

  /** The array's parameter; {@code column.values} for a field of a structure. */
  public String parameter() {
    return parameter;
  }

  /** The array's elements. */
  public long length() {
    return length;
  }

  /** The index of the element that the kernel would touch; negative in front of the array. */
  public long element() {
    return element;
  }
}
