/**
 * Memory and calls of other code: what a runtime adopts, and what it lends to code that queues work
 * on its streams. Not here: columns and tensors of other libraries, and adopted streams.
 */
@NullMarked
package dev.streamfence.foreign;

import org.jspecify.annotations.NullMarked;
