/**
 * What a user writes on an interface to describe a CUDA kernel. Not here: anything with behaviour.
 */
package dev.streamfence.annotation;
