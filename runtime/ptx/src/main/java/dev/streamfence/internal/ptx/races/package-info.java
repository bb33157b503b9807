/**
 * Whether two threads of one launch may touch the same memory without an order between them,
 * derived from a kernel's code before it runs. {@link
 * dev.streamfence.internal.ptx.races.KernelRaces} is the way in.
 *
 * <p>Not here: the races of one run, which the simulated device observes; the order between
 * launches, which the runtime keeps.
 */
@NullMarked
package dev.streamfence.internal.ptx.races;

import org.jspecify.annotations.NullMarked;
