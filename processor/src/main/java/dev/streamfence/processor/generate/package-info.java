/**
 * Model to Java source text. Public for the processor's root, internal otherwise. Not here:
 * elements and type mirrors, nor any check; what arrives here has been found right.
 */
@NullMarked
package dev.streamfence.processor.generate;

import org.jspecify.annotations.NullMarked;
