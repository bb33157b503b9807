package dev.streamfence;

/**
 * How many objects of the driver a runtime has. Immutable.
 *
 * @param streams streams that it has created
 * @param events events that it has created
 * @param modules kernel modules that are loaded
 * @param hostBlocks blocks of page-locked host memory
 * @param graphs graphs that are open
 */
public record DriverObjects(
    long streams, long events, long modules, long hostBlocks, long graphs) {}
