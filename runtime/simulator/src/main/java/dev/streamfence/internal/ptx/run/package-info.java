/**
 * Executes PTX on the CPU: programs, and instances of them whose global variables have addresses.
 * Not here: single instructions, the threads of a block, devices and streams.
 */
@NullMarked
package dev.streamfence.internal.ptx.run;

import org.jspecify.annotations.NullMarked;
