/**
 * Device memory: blocks, the resource interface and its backends, staging of host copies. Internal.
 * Not here: launches, and element types.
 */
@NullMarked
package dev.streamfence.memory;

import org.jspecify.annotations.NullMarked;
