package dev.streamfence.examples.spark;

import java.io.Serializable;

/**
 * A device that a task has used. Immutable.
 *
 * @param executor Spark's name of the executor
 * @param process the number of the executor's process
 * @param address what the scheduler assigned
 * @param device the name of the device
 */
record DeviceUse(String executor, long process, String address, String device)
    implements Serializable {}
