/**
 * What a kernel interface says, as values that would be true with no compiler running. Public for
 * the processor's other rooms, internal otherwise. Not here: elements, type mirrors, Java text.
 */
@NullMarked
package dev.streamfence.processor.model;

import org.jspecify.annotations.NullMarked;
