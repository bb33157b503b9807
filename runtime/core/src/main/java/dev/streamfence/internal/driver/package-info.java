/**
 * The seam to CUDA: one typed, checked method per driver call in use. Internal. Not here: policy,
 * such as which stream waits for which, or when memory is freed.
 */
@NullMarked
package dev.streamfence.internal.driver;

import org.jspecify.annotations.NullMarked;
