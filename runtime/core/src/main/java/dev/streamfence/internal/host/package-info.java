/**
 * Java arrays, buffers and records as the bytes that the device sees. Internal. Not here: how the
 * bytes get there.
 */
@NullMarked
package dev.streamfence.internal.host;

import org.jspecify.annotations.NullMarked;
