/**
 * Java arrays, buffers, records and fill values as the bytes that the device sees, and checks of
 * ranges of elements. Internal. Not here: how the bytes get there.
 */
@NullMarked
package dev.streamfence.internal.host;

import org.jspecify.annotations.NullMarked;
