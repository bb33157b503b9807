package dev.streamfence.internal.exchange;

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
    Form form,
    long address,
    Version version,
    long flags,
    DlTensor tensor,
    long context,
    long deleter) {
  /** The two structures in which DLPack passes a tensor, with the places of their fields. */
  public enum Form {
    /** {@code DLManagedTensor}, which has neither a version nor flags. */
    LEGACY("DLManagedTensor", 64, 0, 48, 56),
    /** {@code DLManagedTensorVersioned} of DLPack 1. */
    VERSIONED("DLManagedTensorVersioned", 80, 32, 8, 16);

    /** The version of DLPack whose tensors are read and built. */
    static final int MAJOR = 1;

    /** The newest minor version that is built; every minor version is read. */
    static final int MINOR = 1;

    static final int MAJOR_AT = 0;
    static final int MINOR_AT = 4;
    static final int FLAGS_AT = 24;

    // Within DLTensor.
    static final int DATA = 0;
    static final int DEVICE_TYPE = 8;
    static final int DEVICE_ID = 12;
    static final int DIMENSIONS = 16;
    static final int TYPE_CODE = 20;
    static final int TYPE_BITS = 21;
    static final int TYPE_LANES = 22;
    static final int SHAPE = 24;
    static final int STRIDES = 32;
    static final int BYTE_OFFSET = 40;
    static final int TENSOR_BYTES = 48;

    private final String structure;
    private final int sizeInBytes;
    private final int tensorAt;
    private final int contextAt;
    private final int deleterAt;

    Form(String structure, int sizeInBytes, int tensorAt, int contextAt, int deleterAt) {
      this.structure = structure;
      this.sizeInBytes = sizeInBytes;
      this.tensorAt = tensorAt;
      this.contextAt = contextAt;
      this.deleterAt = deleterAt;
    }

    /**
     * The form that a consumer understands.
     *
     * @param maxMajor the major version of the {@code max_version} of a consumer; 0 if it names
     *     none
     */
    public static Form upTo(int maxMajor) {
      return maxMajor >= MAJOR ? VERSIONED : LEGACY;
    }

    /** The name of its structure in C. */
    String structure() {
      return structure;
    }

    int sizeInBytes() {
      return sizeInBytes;
    }

    /** Where the {@code DLTensor} begins. */
    int tensorAt() {
      return tensorAt;
    }

    int contextAt() {
      return contextAt;
    }

    int deleterAt() {
      return deleterAt;
    }
  }

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
  public static ManagedTensor read(long address, Form form) {
    NativeAddress.load();
    String what = describe(address, form);
    Pointer at = NativeAddress.of(address, Long.BYTES, pointerTo(form));
    Version version = new Version(0, 0);
    long flags = 0;
    if (form == Form.VERSIONED) {
      version = new Version(at.getInt(Form.MAJOR_AT), at.getInt(Form.MINOR_AT));
      if (version.major() != Form.MAJOR) {
        throw new IllegalArgumentException(
            what
                + " has version "
                + version
                + " of DLPack; version "
                + Form.MAJOR
                + " is understood, and nothing but the deleter of another one can be used");
      }
      flags = at.getLong(Form.FLAGS_AT);
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
    int dimensions = at.getInt(Form.DIMENSIONS);
    if (dimensions < 0 || dimensions > MAX_DIMENSIONS) {
      throw new IllegalArgumentException(
          what + " has " + dimensions + " dimensions; a tensor has 0 to " + MAX_DIMENSIONS);
    }
    List<Long> shape = List.of();
    List<Long> strides = List.of();
    if (dimensions > 0) {
      shape = longs(at.getLong(Form.SHAPE), dimensions, what + ": the pointer to its shape");
      for (int i = 0; i < dimensions; i++) {
        if (shape.get(i) < 0) {
          throw new IllegalArgumentException(
              what + " has the shape " + shape + ", which is negative in dimension " + i);
        }
      }
      long stridesAt = at.getLong(Form.STRIDES);
      if (stridesAt != 0) {
        strides = longs(stridesAt, dimensions, what + ": the pointer to its strides");
      }
    }
    return new DlTensor(
        at.getLong(Form.DATA),
        new DeviceTag(at.getInt(Form.DEVICE_TYPE), at.getInt(Form.DEVICE_ID)),
        new TensorElement(
            Byte.toUnsignedInt(at.getByte(Form.TYPE_CODE)),
            Byte.toUnsignedInt(at.getByte(Form.TYPE_BITS)),
            Short.toUnsignedInt(at.getShort(Form.TYPE_LANES))),
        shape,
        strides,
        at.getLong(Form.BYTE_OFFSET));
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

  static String pointerTo(Form form) {
    return "the pointer to a " + form.structure();
  }

  static String describe(long address, Form form) {
    return (form == Form.LEGACY ? "the tensor at " : "the versioned tensor at ")
        + NativeAddress.hex(address);
  }
}
