package dev.streamfence.driver.jcuda;

import dev.streamfence.driver.CudaDriver;
import java.util.concurrent.atomic.AtomicBoolean;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;

/**
 * What the driver gave us a handle for, with who owns it and whether it is still there: the driver
 * itself crashes on a handle that is not. Thread-safe; destroying one while another thread uses it
 * is the caller's mistake and is not noticed.
 */
abstract sealed class DriverHandle {
  private final JCudaDevice owner;
  private final AtomicBoolean destroyed = new AtomicBoolean();

  private DriverHandle(JCudaDevice owner) {
    this.owner = owner;
  }

  /** Refuses what is destroyed or belongs to another driver. */
  void checkUsable(JCudaDevice user) {
    checkOwner(user);
    if (destroyed.get()) {
      throw gone();
    }
  }

  /** Takes the right to destroy it, which only one call gets. */
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

  /** The refusal of a handle that {@code user} did not make. */
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

  /** Has no end of its own: it is gone when its module is. */
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
