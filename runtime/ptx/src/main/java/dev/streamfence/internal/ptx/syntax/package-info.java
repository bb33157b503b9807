/**
 * PTX text and its model: lexer, parser, and the module, functions, variables and instructions that
 * the text declares; and the shape of a launch. Not here: the meaning of instructions, and
 * binaries.
 */
@NullMarked
package dev.streamfence.internal.ptx.syntax;

import org.jspecify.annotations.NullMarked;
