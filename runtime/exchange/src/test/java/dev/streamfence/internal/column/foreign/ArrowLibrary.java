package dev.streamfence.internal.column.foreign;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.CLibrary;

/** A library in C that makes and takes Arrow's device arrays. Tests of one process share it. */
final class ArrowLibrary {
  private static final class Loaded {
    static final CLibrary LIBRARY = CLibrary.load("arrays.c");
  }

  private final CLibrary library = Loaded.LIBRARY;
  private final int arraysBefore = library.callInt("released_arrays");
  private final int schemasBefore = library.callInt("released_schemas");

  /** The structures that the library fills, or that it is given. */
  final Memory schema = new Memory(72);

  final Memory array = new Memory(128);

  ArrowLibrary() {
    schema.clear();
    array.clear();
  }

  long schemaAddress() {
    return Pointer.nativeValue(schema);
  }

  long arrayAddress() {
    return Pointer.nativeValue(array);
  }

  /** How many array structures were released since this was created; a table has five. */
  int releasedArrays() {
    return library.callInt("released_arrays") - arraysBefore;
  }

  int releasedSchemas() {
    return library.callInt("released_schemas") - schemasBefore;
  }

  /**
   * Makes a table of three rows: {@code int32 number} with an offset of 2 rows and a null, {@code
   * bool8 flag}, and a text by its number in a dictionary of two.
   */
  void make(
      long numbers,
      long validity,
      long flags,
      long indices,
      long offsets,
      long text,
      int deviceType,
      long deviceId,
      long event) {
    library.callInt(
        "make_table",
        schema,
        array,
        new Pointer(numbers),
        new Pointer(validity),
        new Pointer(flags),
        new Pointer(indices),
        new Pointer(offsets),
        new Pointer(text),
        deviceType,
        deviceId,
        event);
  }

  /** Moves a column out of the array. */
  Memory moveChild(int child) {
    Memory moved = new Memory(80);
    library.callInt("move_child", array, child, moved);
    return moved;
  }

  /** Releases an array on a thread that Java does not know. */
  void releaseOnAThread(Memory structure) {
    library.callInt("release_on_a_thread", structure);
  }
}
