/**
 * Parses and analyses PTX. For the runtime, the simulator and the processor alone; every package
 * may change in any release.
 */
// No other module is there when this one is compiled.
@SuppressWarnings("module")
module dev.streamfence.ptx {
  requires static transitive org.jspecify;

  exports dev.streamfence.internal.ptx.analysis to
      dev.streamfence.processor,
      dev.streamfence.runtime;
  exports dev.streamfence.internal.ptx.analysis.lattice to
      dev.streamfence.runtime;
  exports dev.streamfence.internal.ptx.binary to
      dev.streamfence.processor,
      dev.streamfence.runtime;
  exports dev.streamfence.internal.ptx.bounds to
      dev.streamfence.runtime;
  exports dev.streamfence.internal.ptx.ir to
      dev.streamfence.runtime,
      dev.streamfence.simulator;
  exports dev.streamfence.internal.ptx.syntax to
      dev.streamfence.processor,
      dev.streamfence.runtime,
      dev.streamfence.simulator;
  exports dev.streamfence.internal.ptx.races to
      dev.streamfence.runtime;
  exports dev.streamfence.internal.ptx.symbolic to
      dev.streamfence.runtime;
}
