package dev.streamfence.it;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;

/**
 * Code that uses the GPU beside the runtime: calls of the CUDA driver on a stream, an event and
 * memory of its own, in the primary context. Confined to one thread.
 */
final class OtherCode implements AutoCloseable {
  private static final int NON_BLOCKING = 1;
  private static final int DISABLE_TIMING = 2;
  private static final int RELAXED = 2;

  private final NativeLibrary cuda = NativeLibrary.getInstance("cuda");
  private final PointerByReference context = new PointerByReference();
  private final long stream;
  private final long event;

  OtherCode() {
    call("cuDevicePrimaryCtxRetain", context, 0);
    makeCurrent();
    PointerByReference made = new PointerByReference();
    call("cuStreamCreate", made, NON_BLOCKING);
    stream = address(made);
    call("cuEventCreate", made, DISABLE_TIMING);
    event = address(made);
  }

  long stream() {
    return stream;
  }

  long event() {
    return event;
  }

  long allocate(long bytes) {
    makeCurrent();
    LongByReference address = new LongByReference();
    call("cuMemAlloc_v2", address, bytes);
    return address.getValue();
  }

  void free(long address) {
    makeCurrent();
    call("cuMemFree_v2", address);
  }

  void fill(long address, int value, long count) {
    makeCurrent();
    call("cuMemsetD32Async", address, value, count, new Pointer(stream));
  }

  void copy(long target, long source, long bytes, long onStream) {
    makeCurrent();
    call("cuMemcpyDtoDAsync_v2", target, source, bytes, new Pointer(onStream));
  }

  void recordEvent() {
    makeCurrent();
    call("cuEventRecord", new Pointer(event), new Pointer(stream));
  }

  void waitForEvent() {
    makeCurrent();
    call("cuStreamWaitEvent", new Pointer(stream), new Pointer(event), 0);
  }

  boolean isIdle() {
    makeCurrent();
    return function("cuStreamQuery").invokeInt(new Object[] {new Pointer(stream)}) == 0;
  }

  void synchronize() {
    makeCurrent();
    call("cuStreamSynchronize", new Pointer(stream));
  }

  void beginCapture() {
    makeCurrent();
    call("cuStreamBeginCapture_v2", new Pointer(stream), RELAXED);
  }

  /** Ends the capture, and returns how many nodes it has. */
  long endCapture() {
    makeCurrent();
    PointerByReference graph = new PointerByReference();
    call("cuStreamEndCapture", new Pointer(stream), graph);
    LongByReference nodes = new LongByReference();
    call("cuGraphGetNodes", graph.getValue(), Pointer.NULL, nodes);
    call("cuGraphDestroy", graph.getValue());
    return nodes.getValue();
  }

  @Override
  public void close() {
    synchronize();
    call("cuEventDestroy_v2", new Pointer(event));
    call("cuStreamDestroy_v2", new Pointer(stream));
    call("cuDevicePrimaryCtxRelease_v2", 0);
  }

  private void makeCurrent() {
    call("cuCtxSetCurrent", context.getValue());
  }

  private static long address(PointerByReference made) {
    return Pointer.nativeValue(made.getValue());
  }

  private Function function(String name) {
    return cuda.getFunction(name);
  }

  private void call(String name, Object... arguments) {
    int code = function(name).invokeInt(arguments);
    if (code != 0) {
      throw new IllegalStateException(name + " answered " + code);
    }
  }
}
