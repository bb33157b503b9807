/**
 * A simulated device as the author of a test sees it: its settings, the failures to inject, and
 * what it found and counted.
 */
@NullMarked
package dev.streamfence.simulation;

import org.jspecify.annotations.NullMarked;
