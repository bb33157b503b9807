/** Assertions on the trace of a runtime, in the style of AssertJ. */
module dev.streamfence.assertj {
  requires transitive dev.streamfence.runtime;
  requires transitive org.assertj.core;
  requires static transitive org.jspecify;

  exports dev.streamfence.assertj;
}
