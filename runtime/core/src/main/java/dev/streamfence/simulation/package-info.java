/**
 * A simulated device as the author of a test sees it: its settings, the failures to inject, and
 * what it found and counted. The artifact {@code streamfence-simulator} implements its interfaces.
 * Do not implement them elsewhere: methods may be added.
 */
@NullMarked
package dev.streamfence.simulation;

import org.jspecify.annotations.NullMarked;
