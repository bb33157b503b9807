/**
 * The classes that talk to javac about rounds, messages and files. {@link KernelProcessor} is the
 * only API of this module. Not here: reading interfaces, and the text of launchers.
 */
@NullMarked
package dev.streamfence.processor;

import org.jspecify.annotations.NullMarked;
