/** Annotations that describe CUDA kernels on a Java interface. Not here: code with behaviour. */
package dev.streamfence.annotation;
