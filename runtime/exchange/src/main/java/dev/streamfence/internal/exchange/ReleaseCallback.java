package dev.streamfence.internal.exchange;

import com.sun.jna.CallbackProxy;
import com.sun.jna.CallbackReference;
import com.sun.jna.CallbackThreadInitializer;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.streamfence.internal.LogTopic;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@code void (*)(T*)} in Java, for other libraries to call from any thread. Thread-safe.
 *
 * <p>There is one for each kind of structure, and none is ever freed: it must outlive the last
 * structure that holds its address, and cannot be freed by itself while it runs.
 */
final class ReleaseCallback implements CallbackProxy {
  private final Consumer<Pointer> body;
  private final long address;

  /**
   * Creates a function.
   *
   * @param body is called with each structure; what it throws is logged
   */
  ReleaseCallback(Consumer<Pointer> body) {
    NativeAddress.load();
    this.body = body;
    // Daemon threads, and only during the call: a library's thread is not ours to keep alive.
    Native.setCallbackThreadInitializer(
        this, new CallbackThreadInitializer(true, true, "streamfence-release"));
    address = Pointer.nativeValue(CallbackReference.getFunctionPointer(this));
  }

  /** The address of the function. */
  long address() {
    return address;
  }

  // A proxy, since JNA would look for the method of any other callback by reflection, which this
  // module does not open.
  @Override
  public @Nullable Object callback(Object[] arguments) {
    try {
      body.accept((Pointer) arguments[0]);
    } catch (Throwable e) {
      // The caller is C code, which no exception can pass.
      LogTopic.CALLBACKS.error("the release of memory that was exported failed", e);
    }
    return null;
  }

  @Override
  public Class<?>[] getParameterTypes() {
    return new Class<?>[] {Pointer.class};
  }

  @Override
  public Class<?> getReturnType() {
    return void.class;
  }
}
