/**
 * What generated launchers call: kernel images and signatures, loaded modules, the launch recorder.
 * Public for generated code and for hand-written launches; it grows no convenience. Not here: what
 * a user calls otherwise.
 */
@NullMarked
package dev.streamfence.launch;

import org.jspecify.annotations.NullMarked;
