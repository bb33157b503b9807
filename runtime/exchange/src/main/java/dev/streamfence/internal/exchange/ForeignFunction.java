package dev.streamfence.internal.exchange;

import com.sun.jna.Function;
import com.sun.jna.Pointer;

/** Calls functions of other libraries by their addresses. */
final class ForeignFunction {
  private ForeignFunction() {}

  /** Calls a {@code void (*)(T*)}. What such a function throws in C++ ends the process. */
  static void call(long function, long argument) {
    Function.getFunction(new Pointer(function)).invokeVoid(new Object[] {new Pointer(argument)});
  }
}
