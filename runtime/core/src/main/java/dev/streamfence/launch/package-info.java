/**
 * Launches: shapes and element types, which kernel interfaces name, and the API of generated
 * launchers and hand-written launches, with kernel images and signatures, loaded modules and the
 * launch recorder. Not here: arrays and streams.
 */
@NullMarked
package dev.streamfence.launch;

import org.jspecify.annotations.NullMarked;
