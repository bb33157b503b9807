/**
 * A producer and a consumer on two streams, without explicit synchronisation. Not here: several
 * host threads.
 */
@NullMarked
package dev.streamfence.examples.e02_two_streams;

import org.jspecify.annotations.NullMarked;
