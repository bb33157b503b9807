/**
 * Finds the simulated device for what the exported packages declare, logs, and cleans up after lost
 * arrays. Below it lies everything that users of the runtime do not call; it may change in any
 * release.
 */
@NullMarked
package dev.streamfence.internal;

import org.jspecify.annotations.NullMarked;
