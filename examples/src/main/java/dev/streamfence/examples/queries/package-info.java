/**
 * Seven queries of TPC-H over its eight tables, with nulls and skew if asked for. Not here: a
 * parser of SQL or a planner; each query is one class, and its text in SQL is for comparisons.
 */
@NullMarked
package dev.streamfence.examples.queries;

import org.jspecify.annotations.NullMarked;
