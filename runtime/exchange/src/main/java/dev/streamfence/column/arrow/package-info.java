/**
 * Tables of other libraries in this process, such as cuDF, by Arrow's C device data interface:
 * device memory passes from one library to the other without a copy. Needs none of Arrow's own
 * libraries. Not here: tables of Arrow Java, which are in host memory.
 */
@NullMarked
package dev.streamfence.column.arrow;

import org.jspecify.annotations.NullMarked;
