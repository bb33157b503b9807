/**
 * PTX text and its model: lexer, parser, and the module, functions, variables and instructions that
 * the text declares. Not here: the meaning of instructions, and binaries.
 */
@NullMarked
package dev.streamfence.internal.ptx.syntax;

import org.jspecify.annotations.NullMarked;
