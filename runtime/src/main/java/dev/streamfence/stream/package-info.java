/**
 * Who waits for whom: stream pool, timelines, event rings and the dependency state of blocks; and
 * how long all of that may be used ({@link dev.streamfence.stream.Life}). Internal. Not here:
 * launches, and bytes.
 */
@NullMarked
package dev.streamfence.stream;

import org.jspecify.annotations.NullMarked;
