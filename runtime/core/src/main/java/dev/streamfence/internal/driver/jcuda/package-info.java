/**
 * The driver over JCuda, and the only code that may import {@code jcuda}. Internal. Not here:
 * anything that another binding would also need.
 */
@NullMarked
package dev.streamfence.internal.driver.jcuda;

import org.jspecify.annotations.NullMarked;
