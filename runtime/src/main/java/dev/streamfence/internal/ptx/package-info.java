/**
 * Parses PTX text, reads the signatures of its entries, analyses their accesses to the memory
 * behind their parameters, and interprets them on the CPU. Not here: devices, streams, files, and
 * anything that needs more than the JDK.
 */
@NullMarked
package dev.streamfence.internal.ptx;

import org.jspecify.annotations.NullMarked;
