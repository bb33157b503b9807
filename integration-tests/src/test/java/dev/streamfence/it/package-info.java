/** The same suites on the simulated device and on a GPU, over generated launchers. */
@NullMarked
package dev.streamfence.it;

import org.jspecify.annotations.NullMarked;
