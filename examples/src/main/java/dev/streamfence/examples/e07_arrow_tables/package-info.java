/**
 * A table of Arrow Java to the device, through two kernels, and back as a table of Arrow Java. Not
 * here: files, text and several streams.
 */
@NullMarked
package dev.streamfence.examples.e07_arrow_tables;

import org.jspecify.annotations.NullMarked;
