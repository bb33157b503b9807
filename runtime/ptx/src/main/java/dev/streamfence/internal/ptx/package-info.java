/**
 * PTX and binaries of kernels, with the JDK alone. Everything is in the packages below this one:
 *
 * <ul>
 *   <li>{@code syntax}: parses PTX text
 *   <li>{@code ir}: what instructions mean: the table of opcodes, and the control flow; uses {@code
 *       syntax}
 *   <li>{@code binary}: reads compiled kernels
 *   <li>{@code analysis}: finds the accesses to the memory behind a kernel's parameters; uses
 *       {@code ir} and {@code syntax}
 *   <li>{@code symbolic}: what a kernel computes, as formulas of the numbers of a launch and a
 *       thread; uses {@code ir} and {@code syntax}
 *   <li>{@code bounds}: finds the elements that a kernel touches; uses {@code symbolic}
 *   <li>{@code races}: finds threads of a launch that touch the same elements; uses {@code
 *       symbolic}
 * </ul>
 *
 * <p>Not here: devices, streams, files; {@code check} in the runtime, which compares code with the
 * declaration of a kernel; {@code run} in the simulator, which interprets PTX.
 */
@NullMarked
package dev.streamfence.internal.ptx;

import org.jspecify.annotations.NullMarked;
