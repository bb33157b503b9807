package dev.streamfence.annotation;

/**
 * What a kernel's PTX has to prove about the elements that a launch touches, see {@link Kernel}.
 */
public enum Bounds {
  /**
   * A launch is refused if its kernel certainly touches an element that an array does not have, as
   * far as the kernel's PTX shows that.
   */
  CHECKED,

  /**
   * The PTX has to limit what the kernel touches in each array; otherwise the interface does not
   * compile. A launch is refused unless it provably stays in its arrays. Tables of arrays are not
   * included.
   */
  REQUIRED
}
