/**
 * Annotations that describe CUDA kernels on a Java interface. Not here: anything with behaviour.
 */
package dev.streamfence.annotation;
