/**
 * Files of compiled kernels: the formats, and the part of a cubin that can be read. Not here: PTX
 * text, and any comparison with a declaration.
 */
@NullMarked
package dev.streamfence.internal.ptx.binary;

import org.jspecify.annotations.NullMarked;
