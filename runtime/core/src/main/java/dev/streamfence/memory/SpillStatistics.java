package dev.streamfence.memory;

/**
 * What {@link SpillableArray}s of a runtime have copied away from the device and back. Immutable.
 *
 * @param hostBytes bytes that are in page-locked host memory now
 * @param diskBytes bytes that are in files now
 * @param spills how often an array left the device
 * @param bytesToHost bytes that went to page-locked host memory so far
 * @param bytesToDisk bytes that went to files so far
 * @param returns how often an array came back
 * @param bytesReturned bytes that came back so far
 * @param failures how often an array could not leave the device, and stayed there
 */
public record SpillStatistics(
    long hostBytes,
    long diskBytes,
    long spills,
    long bytesToHost,
    long bytesToDisk,
    long returns,
    long bytesReturned,
    long failures) {}
