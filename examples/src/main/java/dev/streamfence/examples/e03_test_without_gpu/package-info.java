/** An operator whose tests need no GPU. Not here: a main method; the test is the example. */
@NullMarked
package dev.streamfence.examples.e03_test_without_gpu;

import org.jspecify.annotations.NullMarked;
