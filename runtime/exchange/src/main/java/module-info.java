/**
 * Columns and tables in device memory, and the tensors and tables of other libraries. The packages
 * below {@code dev.streamfence.internal} may change in any release.
 */
// JNA is an automatic module.
@SuppressWarnings("requires-automatic")
module dev.streamfence.exchange {
  requires com.sun.jna;
  requires transitive dev.streamfence.runtime;
  requires static transitive org.jspecify;

  exports dev.streamfence.column;
  exports dev.streamfence.column.arrow;
  exports dev.streamfence.column.dlpack;
}
