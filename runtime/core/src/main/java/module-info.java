/**
 * The runtime of Streamfence: handles, memory and launches. The packages below {@code
 * dev.streamfence.internal} may change in any release.
 *
 * @uses dev.streamfence.simulation.SimulatedDevice.Builder
 */
// JCuda is an automatic module. None of the modules that use the runtime's internals is there when
// the runtime is compiled.
@SuppressWarnings({"requires-automatic", "module"})
module dev.streamfence.runtime {
  requires com.sun.jna;
  requires static de.siegmar.fastcsv;
  requires dev.streamfence.ptx;
  requires jcuda;
  requires static jdk.jfr;
  requires static transitive org.jspecify;

  exports dev.streamfence;
  exports dev.streamfence.foreign;
  exports dev.streamfence.graph;
  exports dev.streamfence.launch;
  exports dev.streamfence.memory;
  exports dev.streamfence.simulation;
  exports dev.streamfence.trace;
  exports dev.streamfence.internal to
      dev.streamfence.arrow,
      dev.streamfence.exchange,
      dev.streamfence.simulator;
  exports dev.streamfence.internal.device to
      dev.streamfence.exchange;
  exports dev.streamfence.internal.driver to
      dev.streamfence.exchange,
      dev.streamfence.simulator;
  exports dev.streamfence.internal.memory to
      dev.streamfence.exchange;
  exports dev.streamfence.internal.order to
      dev.streamfence.exchange;
  exports dev.streamfence.internal.ptx.check to
      dev.streamfence.processor;

  uses dev.streamfence.simulation.SimulatedDevice.Builder;
}
