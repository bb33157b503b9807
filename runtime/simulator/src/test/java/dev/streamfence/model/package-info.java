/**
 * The ordering protocol, explored: a model of it that is small enough to run in every interleaving,
 * the real classes under a controlled scheduler, and random programs over the whole runtime. Not
 * here: what a single operation does.
 */
package dev.streamfence.model;
