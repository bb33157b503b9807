/**
 * Random kernels for the tests that compare what is said of a kernel with its runs. What they
 * compare is in the packages of the tests.
 */
package dev.streamfence.internal.ptx.random;
