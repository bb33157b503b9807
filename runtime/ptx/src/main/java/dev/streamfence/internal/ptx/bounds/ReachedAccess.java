package dev.streamfence.internal.ptx.bounds;

import java.util.List;

/**
 * An access of a kernel that touches the farthest byte of an array in a launch.
 *
 * @param line its line in the PTX, from 1
 * @param place the file and line of its source; empty if the code does not have them
 * @param writes whether it writes
 * @param arguments the indexes of the numbers of the launch that decide where it lies
 */
public record ReachedAccess(int line, String place, boolean writes, List<Integer> arguments) {}
