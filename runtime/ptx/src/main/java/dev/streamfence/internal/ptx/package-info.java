/**
 * PTX and binaries of kernels, with the JDK alone. Everything is in the packages below this one:
 *
 * <ul>
 *   <li>{@code syntax}: parses PTX text
 *   <li>{@code binary}: reads compiled kernels
 *   <li>{@code analysis}: finds the accesses to the memory behind a kernel's parameters; uses
 *       {@code syntax}
 *   <li>{@code bounds}: finds the elements that a kernel touches; uses {@code analysis.controlflow}
 *       and {@code syntax}
 *   <li>{@code check}: compares code with the declaration of a kernel; uses {@code analysis},
 *       {@code syntax} and {@code binary}
 *   <li>{@code run}: interprets PTX on the CPU; uses {@code syntax}
 * </ul>
 *
 * <p>Not here: devices, streams, files.
 */
@NullMarked
package dev.streamfence.internal.ptx;

import org.jspecify.annotations.NullMarked;
