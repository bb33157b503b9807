package dev.streamfence.simulation;

/** A Java function that stands in for a kernel on the simulated device. */
@FunctionalInterface
public interface SimulatedKernel {
  /** Runs the whole grid. The memory can be used until this returns. */
  void run(KernelMemory memory);
}
