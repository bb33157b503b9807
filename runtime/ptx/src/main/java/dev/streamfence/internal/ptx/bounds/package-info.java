/**
 * Which elements of its arrays a kernel touches, derived from its code before it runs. {@link
 * dev.streamfence.internal.ptx.bounds.KernelBounds} is the way in; what it finds for launches can
 * be written, and read without the code. {@link dev.streamfence.internal.ptx.bounds.TileOverrun}
 * looks for threads that leave a variable in shared memory.
 *
 * <p>Not here: whether the accesses agree with their declaration, which {@code analysis} and {@code
 * check} find out; the lengths of arrays; the comparison at a launch.
 */
@NullMarked
package dev.streamfence.internal.ptx.bounds;

import org.jspecify.annotations.NullMarked;
