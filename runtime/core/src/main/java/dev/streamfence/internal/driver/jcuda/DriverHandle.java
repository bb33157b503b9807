package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.driver.CudaDriver;
import java.util.concurrent.atomic.AtomicBoolean;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;

/**
 * A handle from the driver, with its owner and whether it was destroyed: the driver itself crashes
 * on a destroyed handle. Thread-safe; destroying a handle while another thread uses it is the
 * caller's mistake and goes undetected.
 *
 * @param <T> JCuda's type of the handle
 */
abstract sealed class DriverHandle<T> {
  private final JCudaDevice owner;
  private final AtomicBoolean destroyed;
  private final String kind;
  private final T handle;

  private DriverHandle(JCudaDevice owner, AtomicBoolean destroyed, String kind, T handle) {
    this.owner = owner;
    this.destroyed = destroyed;
    this.kind = kind;
    this.handle = handle;
  }

  /** JCuda's handle, for a call of {@code user}; throws if it is destroyed or another driver's. */
  T use(JCudaDevice user) {
    if (owner != user) {
      throw foreign(this, user);
    }
    return use();
  }

  /** JCuda's handle, for a call of any driver; throws if it is destroyed. */
  T use() {
    if (destroyed.get()) {
      throw gone();
    }
    return handle;
  }

  /** JCuda's handle, to destroy it; only one call succeeds. */
  T destroy(JCudaDevice user) {
    T last = use(user);
    if (!destroyed.compareAndSet(false, true)) {
      throw gone();
    }
    return last;
  }

  private IllegalArgumentException gone() {
    return new IllegalArgumentException(this + " is destroyed");
  }

  /** The exception for a handle that {@code user} did not create. */
  static IllegalArgumentException foreign(@Nullable Object handle, JCudaDevice user) {
    return new IllegalArgumentException(handle + " was not made by this driver of " + user);
  }

  @Override
  public String toString() {
    return kind + " of " + owner;
  }

  static final class Stream extends DriverHandle<CUstream> implements CudaDriver.StreamHandle {
    /** Receives an answer of the driver. Guarded by itself. */
    final int[] captureStatus = new int[1];

    Stream(JCudaDevice owner, CUstream stream) {
      super(owner, new AtomicBoolean(), "stream", stream);
    }
  }

  static final class Event extends DriverHandle<CUevent> implements CudaDriver.EventHandle {
    Event(JCudaDevice owner, CUevent event) {
      super(owner, new AtomicBoolean(), "event", event);
    }
  }

  static final class Module extends DriverHandle<CUmodule> implements CudaDriver.ModuleHandle {
    final String name;

    Module(JCudaDevice owner, CUmodule module, String name) {
      super(owner, new AtomicBoolean(), "module " + name, module);
      this.name = name;
    }
  }

  /** Is not destroyed on its own: it ends with its module. */
  static final class Function extends DriverHandle<CUfunction>
      implements CudaDriver.FunctionHandle {
    Function(Module module, CUfunction function, String entry) {
      super(
          ((DriverHandle<?>) module).owner,
          ((DriverHandle<?>) module).destroyed,
          "function " + entry + " of module " + module.name,
          function);
    }
  }
}
