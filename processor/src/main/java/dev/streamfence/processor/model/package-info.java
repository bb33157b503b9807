/**
 * The content of a kernel interface as values that do not depend on a compiler. Public for the
 * processor's other packages, internal otherwise. Not here: elements, type mirrors, Java text.
 */
@NullMarked
package dev.streamfence.processor.model;

import org.jspecify.annotations.NullMarked;
