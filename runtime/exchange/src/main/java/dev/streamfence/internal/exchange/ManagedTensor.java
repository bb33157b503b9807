package dev.streamfence.internal.exchange;

import static dev.streamfence.internal.exchange.TensorForm.MAJOR;

import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.List;

/**
 * A tensor as a library passes it, with its owner's deleter. A copy of the fields: the structure
 * itself is not read again. Immutable.
 *
 * @param address of the structure
 * @param version of DLPack; 0.0 for the legacy form
 * @param flags those of the versioned form; 0 for the legacy form
 * @param context its owner's, for the deleter
 * @param deleter the function that its last user calls once; 0 if there is none
 */
public record ManagedTensor(
    TensorForm form,
    long address,
    Version version,
    long flags,
    DlTensor tensor,
    long context,
    long deleter) {
  /** The flag of a tensor that its users must not write. */
  public static final long READ_ONLY = 1;

  /** The flag of a tensor that is a copy of what it was made from. */
  public static final long IS_COPIED = 2;

  /** The flag of a tensor whose elements of less than a byte take one each. */
  public static final long SUBBYTE_PADDED = 4;

  /** More than any library has; a number beyond is a sign that this is no tensor. */
  private static final int MAX_DIMENSIONS = 64;

  /** A version of DLPack. */
  public record Version(int major, int minor) {
    @Override
    public String toString() {
      return Integer.toUnsignedString(major) + "." + Integer.toUnsignedString(minor);
    }
  }

  /**
   * Reads a tensor. Nothing but the version is read of a tensor of another major version.
   *
   * @throws IllegalArgumentException if it cannot be read, or has an impossible shape
   */
  public static ManagedTensor read(long address, TensorForm form) {
    NativeAddress.load();
    String what = describe(address, form);
    Pointer at = NativeAddress.of(address, Long.BYTES, pointerTo(form));
    Version version = new Version(0, 0);
    long flags = 0;
    if (form == TensorForm.VERSIONED) {
      version = new Version(at.getInt(TensorForm.MAJOR_AT), at.getInt(TensorForm.MINOR_AT));
      if (version.major() != MAJOR) {
        throw new IllegalArgumentException(
            what
                + " has version "
                + version
                + " of DLPack; version "
                + MAJOR
                + " is understood, and nothing but the deleter of another one can be used");
      }
      flags = at.getLong(TensorForm.FLAGS_AT);
    }
    return new ManagedTensor(
        form,
        address,
        version,
        flags,
        readTensor(at.share(form.tensorAt()), what),
        at.getLong(form.contextAt()),
        at.getLong(form.deleterAt()));
  }

  private static DlTensor readTensor(Pointer at, String what) {
    int dimensions = at.getInt(TensorForm.DIMENSIONS);
    if (dimensions < 0 || dimensions > MAX_DIMENSIONS) {
      throw new IllegalArgumentException(
          what + " has " + dimensions + " dimensions; a tensor has 0 to " + MAX_DIMENSIONS);
    }
    List<Long> shape = List.of();
    List<Long> strides = List.of();
    if (dimensions > 0) {
      shape = longs(at.getLong(TensorForm.SHAPE), dimensions, what + ": the pointer to its shape");
      for (int i = 0; i < dimensions; i++) {
        if (shape.get(i) < 0) {
          throw new IllegalArgumentException(
              what + " has the shape " + shape + ", which is negative in dimension " + i);
        }
      }
      long stridesAt = at.getLong(TensorForm.STRIDES);
      if (stridesAt != 0) {
        strides = longs(stridesAt, dimensions, what + ": the pointer to its strides");
      }
    }
    return new DlTensor(
        at.getLong(TensorForm.DATA),
        new DeviceTag(at.getInt(TensorForm.DEVICE_TYPE), at.getInt(TensorForm.DEVICE_ID)),
        new TensorElement(
            Byte.toUnsignedInt(at.getByte(TensorForm.TYPE_CODE)),
            Byte.toUnsignedInt(at.getByte(TensorForm.TYPE_BITS)),
            Short.toUnsignedInt(at.getShort(TensorForm.TYPE_LANES))),
        shape,
        strides,
        at.getLong(TensorForm.BYTE_OFFSET));
  }

  private static List<Long> longs(long address, int count, String what) {
    Pointer at = NativeAddress.of(address, Long.BYTES, what);
    List<Long> values = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      values.add(at.getLong((long) i * Long.BYTES));
    }
    return values;
  }

  /** Whether its users must not write it. */
  public boolean isReadOnly() {
    return (flags & READ_ONLY) != 0;
  }

  @Override
  public String toString() {
    return describe(address, form);
  }

  static String pointerTo(TensorForm form) {
    return "the pointer to a " + form.structure();
  }

  static String describe(long address, TensorForm form) {
    return (form == TensorForm.LEGACY ? "the tensor at " : "the versioned tensor at ")
        + NativeAddress.hex(address);
  }
}
