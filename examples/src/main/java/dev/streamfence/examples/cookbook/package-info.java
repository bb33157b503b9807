/**
 * Common parts of a query, each from its kernels to its test: prefix sums, filter, join, group by
 * and top-k. The page COOKBOOK.md explains them. Not here: nulls, text, and arrays of more than 2³⁰
 * elements.
 */
@NullMarked
package dev.streamfence.examples.cookbook;

import org.jspecify.annotations.NullMarked;
