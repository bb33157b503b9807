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
 */
abstract sealed class DriverHandle {
  private final JCudaDevice owner;
  private final AtomicBoolean destroyed = new AtomicBoolean();

  private DriverHandle(JCudaDevice owner) {
    this.owner = owner;
  }

  /** Throws if the handle is destroyed or belongs to another driver. */
  void checkUsable(JCudaDevice user) {
    checkOwner(user);
    if (destroyed.get()) {
      throw gone();
    }
  }

  /** Claims the right to destroy it; only one call succeeds. */
  void destroy(JCudaDevice user) {
    checkOwner(user);
    if (!destroyed.compareAndSet(false, true)) {
      throw gone();
    }
  }

  private void checkOwner(JCudaDevice user) {
    if (owner != user) {
      throw foreign(this, user);
    }
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
    return kind() + " of " + owner;
  }

  abstract String kind();

  static final class Stream extends DriverHandle implements CudaDriver.StreamHandle {
    final CUstream cuStream;

    Stream(JCudaDevice owner, CUstream cuStream) {
      super(owner);
      this.cuStream = cuStream;
    }

    @Override
    String kind() {
      return "stream";
    }
  }

  static final class Event extends DriverHandle implements CudaDriver.EventHandle {
    final CUevent cuEvent;

    Event(JCudaDevice owner, CUevent cuEvent) {
      super(owner);
      this.cuEvent = cuEvent;
    }

    @Override
    String kind() {
      return "event";
    }
  }

  static final class Module extends DriverHandle implements CudaDriver.ModuleHandle {
    final CUmodule cuModule;
    final String name;

    Module(JCudaDevice owner, CUmodule cuModule, String name) {
      super(owner);
      this.cuModule = cuModule;
      this.name = name;
    }

    @Override
    String kind() {
      return "module " + name;
    }
  }

  /** Is not destroyed on its own: it ends with its module. */
  static final class Function implements CudaDriver.FunctionHandle {
    final CUfunction cuFunction;
    final Module module;
    final String entry;

    Function(CUfunction cuFunction, Module module, String entry) {
      this.cuFunction = cuFunction;
      this.module = module;
      this.entry = entry;
    }

    @Override
    public String toString() {
      return "function " + entry + " of " + module;
    }
  }
}
