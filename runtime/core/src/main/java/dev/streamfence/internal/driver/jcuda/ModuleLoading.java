package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.CudaDriverException;
import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.driver.HostMemory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import jcuda.driver.CUjit_option;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;

/**
 * One load of device code, with everything that the driver reads or writes during it in native
 * memory. A Java array would be pinned while the driver assembles, and would stall the garbage
 * collector.
 *
 * <p>The memory holds, in this order, the option values, the two logs, and the image followed by a
 * zero. Confined to one thread.
 */
final class ModuleLoading {
  private static final int[] OPTIONS = {
    CUjit_option.CU_JIT_INFO_LOG_BUFFER,
    CUjit_option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
    CUjit_option.CU_JIT_ERROR_LOG_BUFFER,
    CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
  };

  /** Enough for a few hundred lines; the driver truncates the rest. */
  private static final int LOG_BYTES = 16 * 1024;

  private static final int INFO_LOG = OPTIONS.length * Long.BYTES;
  private static final int ERROR_LOG = INFO_LOG + LOG_BYTES;
  private static final int IMAGE = ERROR_LOG + LOG_BYTES;

  private final String name;
  private final HostMemory memory;

  /** Prepares a load in {@code memory}, which has {@link #bytesFor} bytes. */
  ModuleLoading(String name, byte[] image, HostMemory memory) {
    this.name = name;
    this.memory = memory;
    ByteBuffer bytes = memory.buffer();
    bytes.putLong(0, memory.address() + INFO_LOG);
    bytes.putLong(8, LOG_BYTES);
    bytes.putLong(16, memory.address() + ERROR_LOG);
    bytes.putLong(24, LOG_BYTES);
    bytes.put(INFO_LOG, (byte) 0);
    bytes.put(ERROR_LOG, (byte) 0);
    bytes.put(IMAGE, image);
    bytes.put(IMAGE + image.length, (byte) 0);
  }

  /** The memory that a load of the image takes. */
  static long bytesFor(byte[] image) {
    return (long) IMAGE + image.length + 1;
  }

  /** Loads the image; the device's context must be current. */
  int load(CUmodule module) {
    return JCudaDriver.cuModuleLoadDataEx(
        module,
        new RawPointer(memory.address() + IMAGE),
        OPTIONS.length,
        OPTIONS,
        new RawPointer(memory.address()));
  }

  /** The error of a load: a fault of the image if it is to blame, otherwise of the driver. */
  RuntimeException failure(CudaDriverException error) {
    String fact =
        switch (error.code()) {
          case 1, 200, 300, 801 -> "the driver refuses the image";
          case 209 -> "the image has no code for this device; compile it for its architecture";
          case 218 -> "the driver cannot assemble the PTX";
          case 220, 221, 223 -> "the driver cannot assemble PTX here; pass a cubin";
          case 222 ->
              "the PTX is newer than the driver; compile with an older toolkit or update it";
          case 301, 302, 303, 500 -> "the image refers to a symbol that does not exist";
          default -> "";
        };
    if (fact.isEmpty()) {
      return error.during("loading module " + name);
    }
    String log = (text(ERROR_LOG) + "\n" + text(INFO_LOG)).strip();
    return new KernelLoadException(
        name, fact + " (" + error.codeName() + ", " + error.code() + ")", log, error);
  }

  private String text(int start) {
    ByteBuffer bytes = memory.buffer();
    int length = 0;
    while (length < LOG_BYTES && bytes.get(start + length) != 0) {
      length++;
    }
    byte[] text = new byte[length];
    bytes.get(start, text);
    return new String(text, StandardCharsets.UTF_8);
  }
}
