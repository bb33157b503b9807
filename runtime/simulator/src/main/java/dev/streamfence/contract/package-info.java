/**
 * Contracts of the interfaces that users implement, as tests on the simulated device. Not here: the
 * simulated device, and the tests of the runtime.
 */
@NullMarked
package dev.streamfence.contract;

import org.jspecify.annotations.NullMarked;
