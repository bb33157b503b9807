/**
 * The program {@code run compare}: it measures the runtime beside C++, plain JCuda, CuPy and
 * PyTorch, in rounds in which each of them measures each row. The opponents are child processes
 * that obey {@link dev.streamfence.it.compare.Opponent a protocol of lines}; those in other
 * languages are in {@code src/bundle/compare}. What needs AWT is in {@link
 * dev.streamfence.it.compare.Picture} alone, since the Java runtime of the bundle has none.
 */
@NullMarked
package dev.streamfence.it.compare;

import org.jspecify.annotations.NullMarked;
