/**
 * A job of Apache Spark whose tasks filter and aggregate on the GPU of their executor: Spark reads
 * Parquet, schedules the tasks and the GPUs, and adds up what the tasks return. The page SPARK.md
 * explains it. Not here: a shuffle, a planner or a scheduler.
 */
@NullMarked
package dev.streamfence.examples.spark;

import org.jspecify.annotations.NullMarked;
