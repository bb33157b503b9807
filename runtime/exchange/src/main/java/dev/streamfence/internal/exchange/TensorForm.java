package dev.streamfence.internal.exchange;

/** The two structures in which DLPack passes a tensor, with the places of their fields. */
public enum TensorForm {
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

  TensorForm(String structure, int sizeInBytes, int tensorAt, int contextAt, int deleterAt) {
    this.structure = structure;
    this.sizeInBytes = sizeInBytes;
    this.tensorAt = tensorAt;
    this.contextAt = contextAt;
    this.deleterAt = deleterAt;
  }

  /**
   * The form that a consumer understands.
   *
   * @param maxMajor the major version of the {@code max_version} of a consumer; 0 if it names none
   */
  public static TensorForm upTo(int maxMajor) {
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
