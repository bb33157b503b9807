/**
 * Tables of Arrow Java to the device and back. Not here: Arrow's structures in device memory, which
 * take no copy and do not need Arrow Java.
 */
@NullMarked
package dev.streamfence.arrow;

import org.jspecify.annotations.NullMarked;
