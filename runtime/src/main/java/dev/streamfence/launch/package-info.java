/**
 * The API of generated launchers: kernel images and signatures, loaded modules, the launch
 * recorder. Public for generated code and hand-written launches; it offers no conveniences. Not
 * here: the rest of the user API.
 */
@NullMarked
package dev.streamfence.launch;

import org.jspecify.annotations.NullMarked;
