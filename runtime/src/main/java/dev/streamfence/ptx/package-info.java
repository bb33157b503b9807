/**
 * PTX text: its parser, the signatures of its entries, an analysis of what they do to the memory
 * behind their parameters, and an interpreter that runs them on the CPU. Not here: devices,
 * streams, files, and anything that needs more than the JDK.
 */
@NullMarked
package dev.streamfence.ptx;

import org.jspecify.annotations.NullMarked;
