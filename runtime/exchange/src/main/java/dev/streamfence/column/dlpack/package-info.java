/**
 * Tensors of other libraries in this process, such as PyTorch, CuPy or JAX, by the protocol of
 * DLPack: device memory passes from one library to the other without a copy. Not here: tables with
 * nulls and text, which Arrow describes.
 */
@NullMarked
package dev.streamfence.column.dlpack;

import org.jspecify.annotations.NullMarked;
