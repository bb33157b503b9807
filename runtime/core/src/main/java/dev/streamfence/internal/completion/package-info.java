/**
 * Handles for work that is under way: completions, the thread that watches them, and downloads that
 * were begun, with the memory that they hold. Internal. Not here: the work itself.
 */
@NullMarked
package dev.streamfence.internal.completion;

import org.jspecify.annotations.NullMarked;
