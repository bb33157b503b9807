/**
 * Turns the model into Java source text. Public for the processor's root, internal otherwise. Not
 * here: elements, type mirrors and checks; the model has been checked already.
 */
@NullMarked
package dev.streamfence.processor.generate;

import org.jspecify.annotations.NullMarked;
