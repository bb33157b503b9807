package dev.streamfence.internal.driver.jcuda;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Functions of the CUDA driver as method handles, made by {@code java.lang.foreign}: part of Java
 * since version 22. Reached by reflection, since the runtime is compiled for Java 17. Thread-safe.
 */
final class ForeignFunctions {
  private static final String PACKAGE = "java.lang.foreign.";

  private ForeignFunctions() {}

  /**
   * Whether this Java has them and lets this module call native functions. Java warns of the first
   * call otherwise, or refuses it.
   */
  static boolean areAllowed() {
    try {
      Method isEnabled = Module.class.getMethod("isNativeAccessEnabled");
      return (boolean) isEnabled.invoke(ForeignFunctions.class.getModule());
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  /**
   * A function that returns a code.
   *
   * @param parameters {@code int} and {@code long} only; an address is a {@code long}
   * @throws LinkageError if it cannot be called this way
   */
  static MethodHandle find(String name, Class<?>... parameters) {
    try {
      Class<?> arenas = Class.forName(PACKAGE + "Arena");
      Class<?> lookups = Class.forName(PACKAGE + "SymbolLookup");
      Class<?> linkers = Class.forName(PACKAGE + "Linker");
      Class<?> options = Class.forName(PACKAGE + "Linker$Option");
      Class<?> descriptors = Class.forName(PACKAGE + "FunctionDescriptor");
      Object forever = arenas.getMethod("global").invoke(null);
      Object driver =
          lookups
              .getMethod("libraryLookup", String.class, arenas)
              .invoke(null, NativeLibrary.CUDA, forever);
      Optional<?> symbol =
          (Optional<?>) lookups.getMethod("find", String.class).invoke(driver, name);
      Object linker = linkers.getMethod("nativeLinker").invoke(null);
      Method link =
          linkers.getMethod(
              "downcallHandle",
              Class.forName(PACKAGE + "MemorySegment"),
              descriptors,
              options.arrayType());
      return (MethodHandle)
          link.invoke(
              linker,
              symbol.orElseThrow(),
              descriptor(descriptors, parameters),
              Array.newInstance(options, 0));
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new LinkageError(name + " cannot be called without JNI", e);
    }
  }

  /** The address of native memory. */
  static long address(ByteBuffer memory) {
    try {
      Class<?> segments = Class.forName(PACKAGE + "MemorySegment");
      Object segment = segments.getMethod("ofBuffer", Buffer.class).invoke(null, memory);
      return (long) segments.getMethod("address").invoke(segment);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the address of a buffer is unknown", e);
    }
  }

  private static Object descriptor(Class<?> descriptors, Class<?>... parameters)
      throws ReflectiveOperationException {
    Class<?> layouts = Class.forName(PACKAGE + "MemoryLayout");
    Object arguments = Array.newInstance(layouts, parameters.length);
    for (int i = 0; i < parameters.length; i++) {
      Array.set(arguments, i, layout(parameters[i]));
    }
    return descriptors
        .getMethod("of", layouts, layouts.arrayType())
        .invoke(null, layout(int.class), arguments);
  }

  private static Object layout(Class<?> primitive) throws ReflectiveOperationException {
    String name = primitive == long.class ? "JAVA_LONG" : "JAVA_INT";
    return Class.forName(PACKAGE + "ValueLayout").getField(name).get(null);
  }
}
