package dev.streamfence.internal.exchange;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ManagedTensor.Form;
import dev.streamfence.launch.ElementType;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A program in whose process numpy runs as well; both pass each other tensors in host memory. */
final class NumpyPeer {
  // The names must outlive the capsules.
  private static final String PROTOCOL =
      """
      import ctypes, gc, numpy
      api = ctypes.pythonapi
      new = api.PyCapsule_New
      new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
      get = api.PyCapsule_GetPointer
      get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
      rename = api.PyCapsule_SetName
      rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
      NAMES = {False: b"dltensor", True: b"dltensor_versioned"}
      USED = {False: b"used_dltensor", True: b"used_dltensor_versioned"}

      class Tensor:
          def __init__(self, address, versioned):
              self.address, self.versioned = address, versioned
          def __dlpack__(self, **hints):
              return new(self.address, NAMES[self.versioned], None)
          def __dlpack_device__(self):
              return (1, 0)

      def take(address, data, versioned, writable):
          array = numpy.from_dlpack(Tensor(address, versioned))
          assert array.ctypes.data == data, "numpy has copied"
          assert array.shape == (2, 3) and array.dtype == numpy.float32
          assert array.flags.writeable == writable, array.flags
          assert array.sum() == 21
          del array
          gc.collect()

      def give(slot, versioned):
          array = numpy.arange(24, dtype=numpy.int64).reshape(2, 3, 4)
          capsule = array.__dlpack__(max_version=(1, 0) if versioned else None)
          address = get(capsule, NAMES[versioned])
          rename(capsule, USED[versioned])
          numbers = (ctypes.c_int64 * 2).from_address(slot)
          numbers[0], numbers[1] = address, array.ctypes.data
          given.append(array)

      given = []
      """;

  private NumpyPeer() {}

  /** Runs; the argument is Python's library. */
  public static void main(String[] arguments) {
    NativeLibrary python = NativeLibrary.getInstance(System.getProperty("python.library"));
    python.getFunction("Py_InitializeEx").invokeVoid(new Object[] {0});
    run(python, PROTOCOL);
    Memory floats = new Memory(6 * Float.BYTES);
    floats.write(0, new float[] {1, 2, 3, 4, 5, 6}, 0, 6);
    for (Form form : Form.values()) {
      boolean versioned = form == Form.VERSIONED;
      export(python, floats, form, 0, !versioned ? "False" : "True");
      take(python, form, versioned ? "True" : "False");
    }
    export(python, floats, Form.VERSIONED, ManagedTensor.READ_ONLY, "False");
    System.out.println("both ways");
  }

  private static void export(
      NativeLibrary python, Memory floats, Form form, long flags, String writable) {
    AtomicInteger released = new AtomicInteger();
    long data = Pointer.nativeValue(floats);
    DlTensor tensor =
        DlTensor.compact(
            data,
            new DeviceTag(DeviceTag.CPU, 0),
            TensorElement.of(ElementType.FLOAT),
            List.of(2L, 3L));
    TensorExport export =
        TensorExport.of(form, 0, flags, tensor, floats, released::incrementAndGet);
    String versioned = form == Form.VERSIONED ? "True" : "False";
    run(python, "take(%d, %d, %s, %s)".formatted(export.handOver(), data, versioned, writable));
    require(released.get() == 1, "numpy released the tensor " + released + " times");
  }

  private static void take(NativeLibrary python, Form form, String versioned) {
    Memory slot = new Memory(2 * Long.BYTES);
    run(python, "give(%d, %s)".formatted(Pointer.nativeValue(slot), versioned));
    TensorImport taken = TensorImport.take(ManagedTensor.read(slot.getLong(0), form));
    ElementMemory memory = taken.tensor().tensor().elements(ElementType.LONG, "numpy's");
    require(memory.equals(new ElementMemory(slot.getLong(8), 24, 192)), "numpy gave " + memory);
    require(new Pointer(memory.address()).getLong(23 * 8) == 23, "numpy's values differ");
    run(python, "import sys; held = sys.getrefcount(given[-1])");
    taken.release();
    run(python, "assert sys.getrefcount(given[-1]) == held - 1, 'numpy did not get it back'");
  }

  private static void run(NativeLibrary python, String code) {
    int failed = python.getFunction("PyRun_SimpleString").invokeInt(new Object[] {code});
    require(failed == 0, "Python failed, see above");
  }

  private static void require(boolean condition, String fact) {
    if (!condition) {
      throw new AssertionError(fact);
    }
  }
}
