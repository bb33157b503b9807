/**
 * What tests of several modules share: kernels with their arguments and what they must leave
 * behind, for the interpreter and for a GPU, arrays of every type, and how long work takes as its
 * input grows. In a package of its own, since the packages of our jars are sealed, and other
 * modules' tests run beside that. Not here: what runs the kernels.
 */
package dev.streamfence.corpus;
