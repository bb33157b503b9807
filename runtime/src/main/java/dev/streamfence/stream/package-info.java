/**
 * Who waits for whom: stream pool, timelines, event rings and the dependency state of blocks.
 * Internal. Not here: launches, and bytes.
 */
@NullMarked
package dev.streamfence.stream;

import org.jspecify.annotations.NullMarked;
