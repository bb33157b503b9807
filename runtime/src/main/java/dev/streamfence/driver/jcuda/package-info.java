/**
 * The driver over JCuda, and the only code that may import {@code jcuda}. Internal. Not here:
 * anything that another binding would need as well.
 */
@NullMarked
package dev.streamfence.driver.jcuda;

import org.jspecify.annotations.NullMarked;
