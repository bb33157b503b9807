/**
 * Which accesses of the threads of one launch are ordered: by program order, barriers, and releases
 * that other threads acquire, as PTX's memory model defines them. Finds conflicting accesses that
 * are not. Not here: when threads run, and the memory itself.
 */
@NullMarked
package dev.streamfence.internal.ptx.run.order;

import org.jspecify.annotations.NullMarked;
