/**
 * What talks to javac: rounds, messages, files. {@link KernelProcessor} is the only API of this
 * module. Not here: anything that looks into an interface or knows what a launcher looks like.
 */
@NullMarked
package dev.streamfence.processor;

import org.jspecify.annotations.NullMarked;
