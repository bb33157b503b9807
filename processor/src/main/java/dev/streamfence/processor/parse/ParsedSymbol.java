package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.model.SymbolMethod;
import javax.lang.model.element.ExecutableElement;

/**
 * A method that gives a variable as a value, and its place in the source. Immutable.
 *
 * @param symbol the method, without mistakes
 * @param method the place of its type
 * @param name the place of the variable's name: the value of {@code @Symbol} if explicit
 */
public record ParsedSymbol(SymbolMethod symbol, ExecutableElement method, Culprit name) {}
