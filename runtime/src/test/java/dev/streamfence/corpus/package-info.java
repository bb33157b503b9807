/**
 * What tests of several modules share: kernels with their arguments and what they must leave
 * behind, for the interpreter and for a GPU, and arrays of every type. In a package of its own,
 * since the packages of the runtime's jar are sealed, and other modules' tests run beside that. Not
 * here: what runs the kernels.
 */
package dev.streamfence.corpus;
