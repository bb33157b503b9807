/**
 * Relational operators over tables on the device: filter, project, sort, top-k, distinct, group by
 * and hash join, for all types of columns, with nulls. The page OPERATORS.md describes them. Not
 * here: queries, and what plans them.
 *
 * <p>An operator works on the logical rows of its tables, up to 2³¹ − 257 of them, and makes a
 * table of its own, which the caller closes; its capacity is its number of rows. The tables of one
 * call may have been written on any stream. The classes hold no state but the hash table of a
 * {@link dev.streamfence.examples.operators.HashJoin}, so any number of threads may use them, each
 * on a stream of its own. If an operator fails, nothing of it stays allocated.
 */
@NullMarked
package dev.streamfence.examples.operators;

import org.jspecify.annotations.NullMarked;
