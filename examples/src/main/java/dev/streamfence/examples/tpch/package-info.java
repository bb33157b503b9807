/**
 * Two TPC-H queries over device tables, whose rows are generated or read from Arrow files, checked
 * against plain Java. Not here: a query engine; each query is one class that launches its own
 * kernels.
 */
@NullMarked
package dev.streamfence.examples.tpch;

import org.jspecify.annotations.NullMarked;
