package dev.streamfence.internal.exchange;

import com.sun.jna.Function;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.streamfence.DeviceException;

/** Checks addresses of native memory before anything is read there, and calls what lies at them. */
final class NativeAddress {
  /** No system lets a program use its first page, so that a small number is no address. */
  private static final long FIRST = 4096;

  private NativeAddress() {}

  /**
   * The memory at an address.
   *
   * @param alignment a power of two
   * @param what describes the pointer in errors
   * @throws IllegalArgumentException if nothing can lie there
   */
  static Pointer of(long address, int alignment, String what) {
    require(address, alignment, what);
    return new Pointer(address);
  }

  /** Refuses an address at which nothing with this alignment can lie. */
  static void require(long address, int alignment, String what) {
    if (address == 0) {
      throw new IllegalArgumentException(what + " is null");
    }
    // The upper half of the addresses belongs to the system.
    if (address < FIRST) {
      throw new IllegalArgumentException(
          what + " is " + hex(address) + ", which is no address of a program");
    }
    if (address % alignment != 0) {
      throw new IllegalArgumentException(
          what + " is " + hex(address) + ", which is not a multiple of " + alignment);
    }
  }

  /**
   * Makes sure that native memory can be used.
   *
   * @throws DeviceException if JNA does not load, or the platform has no addresses of 64 bits
   */
  static void load() {
    int pointer;
    try {
      pointer = Native.POINTER_SIZE;
    } catch (LinkageError e) {
      throw new DeviceException(
          "JNA does not load ("
              + e
              + "); if the folder of its library is the reason, start Java with"
              + " -Djna.tmpdir=<a folder from which programs may run>",
          e);
    }
    if (pointer != Long.BYTES) {
      throw new DeviceException(
          "pointers have " + pointer + " bytes here; memory is exchanged where they have 8");
    }
  }

  /** Calls a {@code void (*)(T*)}. What such a function throws in C++ ends the process. */
  static void call(long function, long argument) {
    Function.getFunction(new Pointer(function)).invokeVoid(new Object[] {new Pointer(argument)});
  }

  static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }
}
