/**
 * A library that launches its own kernels, cuBLAS, between kernels of the program: the runtime
 * orders its calls like launches. Not here: memory that a library has allocated.
 */
@NullMarked
package dev.streamfence.examples.e06_cublas;

import org.jspecify.annotations.NullMarked;
