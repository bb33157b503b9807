package dev.streamfence.internal.driver.jcuda;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import dev.streamfence.DeviceException;
import java.util.Arrays;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUgraphNode;
import jcuda.driver.CUresult;

/**
 * The functions of the CUDA driver that JCuda does not bind, called through JNA: those of a
 * device's own memory pool, and of graphs. None is on the launch path, since such a call boxes its
 * arguments. Each returns the driver's code, and must be called after {@link #load}. Thread-safe.
 */
final class UnboundFunctions {
  /** {@code CU_MEMPOOL_ATTR_RELEASE_THRESHOLD}, a 64-bit number of bytes. */
  private static final int RELEASE_THRESHOLD = 4;

  /** {@code CU_MEM_LOCATION_TYPE_DEVICE}. */
  private static final int LOCATION_IS_DEVICE = 1;

  /** {@code CU_MEM_ACCESS_FLAGS_PROT_READWRITE}. */
  private static final int READ_AND_WRITE = 3;

  private UnboundFunctions() {}

  /**
   * Loads JNA unless already done.
   *
   * @throws DeviceException if JNA does not load on this platform
   */
  static void load() {
    try {
      new LongByReference().setValue(0);
    } catch (LinkageError e) {
      throw new DeviceException(
          "JNA does not load ("
              + e
              + "); if the folder of its library is the reason, start Java with"
              + " -Djna.tmpdir=<a folder from which programs may run>",
          e);
    }
  }

  /** The pool for a device's stream-ordered allocations. */
  static int cuDeviceGetMemPool(PointerByReference pool, CUdevice device) {
    // A device's handle is its number.
    return call("cuDeviceGetMemPool", pool, (int) RawHandle.of(device));
  }

  /** Sets the release threshold of a pool. */
  static int cuMemPoolSetReleaseThreshold(PointerByReference pool, long bytes) {
    LongByReference value = new LongByReference(bytes);
    return call("cuMemPoolSetAttribute", pool.getValue(), RELEASE_THRESHOLD, value);
  }

  /** Lets another device read and write what a pool has. */
  static int cuMemPoolSetAccess(PointerByReference pool, CUdevice reader) {
    // A CUmemAccessDesc: the kind of place, its number, the access.
    try (Memory description = new Memory(3L * Integer.BYTES)) {
      description.write(
          0, new int[] {LOCATION_IS_DEVICE, (int) RawHandle.of(reader), READ_AND_WRITE}, 0, 3);
      return call("cuMemPoolSetAccess", pool.getValue(), description, 1L);
    }
  }

  /** Makes what a condition of a graph decides by; it decides for nothing at first. */
  static int cuGraphConditionalHandleCreate(
      LongByReference handle, CUgraph graph, CUcontext context) {
    return call(
        "cuGraphConditionalHandleCreate", handle, RawHandle.of(graph), RawHandle.of(context), 0, 0);
  }

  /**
   * Adds a node of any kind.
   *
   * @param parameters a {@code CUgraphNodeParams}
   */
  static int cuGraphAddNode(
      CUgraphNode node, CUgraph graph, CUgraphNode[] after, Memory parameters) {
    LongByReference added = new LongByReference();
    long[] nodes = Arrays.stream(after).mapToLong(RawHandle::of).toArray();
    int code =
        call("cuGraphAddNode", added, RawHandle.of(graph), nodes, (long) nodes.length, parameters);
    RawHandle.set(node, added.getValue());
    return code;
  }

  /** Changes an executable graph so that it is of a graph. */
  static int cuGraphExecUpdate(CUgraphExec executable, CUgraph graph) {
    // The node that differs, and how; the code says whether one does.
    return call(
        "cuGraphExecUpdate",
        RawHandle.of(executable),
        RawHandle.of(graph),
        new LongByReference(),
        new IntByReference());
  }

  private static int call(String name, Object... arguments) {
    Function function;
    try {
      function = com.sun.jna.NativeLibrary.getInstance(NativeLibrary.CUDA).getFunction(name);
    } catch (UnsatisfiedLinkError e) {
      // An older driver.
      return CUresult.CUDA_ERROR_NOT_SUPPORTED;
    }
    return function.invokeInt(arguments);
  }
}
