/** Tables of Arrow Java to the device and back. */
// Arrow's dependencies are named by their files, and its annotations lie in modules that only its
// own build needs.
module dev.streamfence.arrow {
  requires transitive dev.streamfence.exchange;
  requires transitive org.apache.arrow.memory.core;
  requires transitive org.apache.arrow.vector;
  requires static transitive org.jspecify;

  exports dev.streamfence.arrow;
}
