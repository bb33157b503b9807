/**
 * PTX text: its parser, the signatures of its entries, and an interpreter that runs it on the CPU.
 * Not here: devices, streams, files, and anything that needs more than the JDK.
 */
@NullMarked
package dev.streamfence.ptx;

import org.jspecify.annotations.NullMarked;
