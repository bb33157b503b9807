/**
 * The seam to CUDA: one typed, checked method per driver call that is used. Internal. Not here:
 * policy, such as who waits for whom or when memory is freed.
 */
@NullMarked
package dev.streamfence.driver;

import org.jspecify.annotations.NullMarked;
