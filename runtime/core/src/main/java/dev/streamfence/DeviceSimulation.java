package dev.streamfence;

/**
 * A device that needs no GPU and that a runtime can open, see {@link
 * DeviceRuntime#simulated(DeviceSimulation)}. The only kind is a {@link
 * dev.streamfence.simulation.SimulatedDevice}.
 */
public sealed interface DeviceSimulation permits dev.streamfence.simulation.SimulatedDevice {}
