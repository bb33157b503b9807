package dev.streamfence.processor.model;

import dev.streamfence.launch.KernelSymbol;

/**
 * A method that gives a variable of the module as an array. Immutable.
 *
 * @param name the method's name
 * @param symbol the variable
 * @param handle the type of the array that it returns
 * @param deprecation how strongly its use is discouraged
 */
public record SymbolMethod(
    String name, KernelSymbol symbol, HandleType handle, Deprecation deprecation) {}
