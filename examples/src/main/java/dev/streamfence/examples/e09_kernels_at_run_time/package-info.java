/**
 * A kernel that the program builds while it runs: the condition of a query becomes CUDA, and NVRTC
 * compiles it. Not here: a cache of compiled kernels on disk.
 */
@NullMarked
package dev.streamfence.examples.e09_kernels_at_run_time;

import org.jspecify.annotations.NullMarked;
