/**
 * A producer and a consumer on two streams, with no fence in sight. Not here: several host threads.
 */
@NullMarked
package dev.streamfence.examples.e02_two_streams;

import org.jspecify.annotations.NullMarked;
