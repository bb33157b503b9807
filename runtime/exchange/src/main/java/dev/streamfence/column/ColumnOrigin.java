package dev.streamfence.column;

/** Where a column's memory comes from. Immutable. */
public enum ColumnOrigin {
  /** The runtime allocated it. */
  OWNED(false),
  /** Another library allocated it and passed it on as a DLPack tensor. */
  DLPACK(true),
  /** Another library allocated it and passed it on as an Arrow device array. */
  ARROW(true),
  /**
   * The runtime allocated it, exported it as a DLPack tensor and got that tensor back: the column
   * is the exported one, and uses of both are ordered with each other.
   */
  DLPACK_EXPORT(false),
  /** The same for an Arrow device array. */
  ARROW_EXPORT(false);

  private final boolean isExternal;

  ColumnOrigin(boolean isExternal) {
    this.isExternal = isExternal;
  }

  /** Whether code outside this runtime allocated the memory and frees it. */
  public boolean isExternal() {
    return isExternal;
  }
}
