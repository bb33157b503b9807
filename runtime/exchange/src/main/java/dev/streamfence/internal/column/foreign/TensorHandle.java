package dev.streamfence.internal.column.foreign;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.dlpack.ForeignTensor;
import dev.streamfence.column.dlpack.TensorProducer;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.device.WritableArray;
import dev.streamfence.internal.exchange.ElementMemory;
import dev.streamfence.internal.exchange.ManagedTensor;
import dev.streamfence.internal.exchange.ManagedTensor.Form;
import dev.streamfence.internal.exchange.TensorExport;
import dev.streamfence.internal.exchange.TensorImport;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.launch.ElementType;
import java.util.List;
import java.util.Objects;

/** The implementation of {@link ForeignTensor}. */
public final class TensorHandle implements ForeignTensor {
  /** To whom the tensor belongs, and so whether its structure may be read. */
  private enum State {
    OF_ITS_OWNER,
    ADOPTED,
    DELETED
  }

  private final long address;
  private final Form form;

  /** Guarded by this, also while the structure is read: another thread may delete it next. */
  private State state = State.OF_ITS_OWNER;

  private TensorHandle(long address, Form form) {
    this.address = address;
    this.form = form;
  }

  /** A tensor that another library has made, of which nothing is read yet. */
  public static TensorHandle of(long address, boolean isVersioned) {
    return new TensorHandle(address, isVersioned ? Form.VERSIONED : Form.LEGACY);
  }

  /**
   * A tensor that became an array.
   *
   * @param isOwn whether this runtime had exported it
   */
  record Taken<A>(TensorHandle handle, TrackedArray<A> array, TensorImport tensor, boolean isOwn) {
    /** Leaves the tensor to its owner again, as if it had not been adopted. */
    void giveBackAfter(Throwable failure) {
      // First, so that the close does not call the deleter.
      tensor.giveBack();
      handle.giveBack();
      Teardown unused = new Teardown();
      unused.step(array::close);
      unused.suppressIn(failure);
    }
  }

  @Override
  public long address() {
    return address;
  }

  @Override
  public List<Long> shape() {
    return read().tensor().shape();
  }

  @Override
  public String elementType() {
    return read().tensor().element().toString();
  }

  @Override
  public boolean isReadOnly() {
    return read().isReadOnly();
  }

  @Override
  public <A> WritableArray<A> adopt(
      DeviceStream stream, Class<A> arrayType, TensorProducer producer) {
    return (WritableArray<A>) take(stream, arrayType, producer, false).array();
  }

  @Override
  public <A> TrackedArray<A> adoptReadable(
      DeviceStream stream, Class<A> arrayType, TensorProducer producer) {
    return take(stream, arrayType, producer, true).array();
  }

  /** Adopts the tensor. */
  <A> Taken<A> take(
      DeviceStream stream, Class<A> arrayType, TensorProducer producer, boolean readable) {
    Objects.requireNonNull(producer, "producer");
    TrackedRuntime runtime = TrackedStream.of(stream).runtime();
    become(State.ADOPTED);
    boolean isTaken = false;
    try {
      Taken<A> taken = take(runtime, stream, arrayType, producer, readable);
      isTaken = true;
      return taken;
    } finally {
      if (!isTaken) {
        giveBack();
      }
    }
  }

  private <A> Taken<A> take(
      TrackedRuntime runtime,
      DeviceStream stream,
      Class<A> arrayType,
      TensorProducer producer,
      boolean readable) {
    ManagedTensor tensor = ManagedTensor.read(address, form);
    if (tensor.isReadOnly() && !readable) {
      throw new IllegalArgumentException(
          tensor + " is read-only and can be adopted to be read alone: adoptReadable");
    }
    tensor.tensor().device().requireOn(runtime.info().ordinal(), tensor.toString());
    ElementMemory memory =
        tensor.tensor().elements(ElementType.ofArray(arrayType), tensor.toString());
    boolean isOwn = isOwn(tensor, memory, runtime);
    TensorImport taken = TensorImport.take(tensor);
    try {
      ForeignMemory described =
          producer
              .order(ForeignMemory.at(memory.address(), memory.sizeInBytes()).named("tensor"))
              .releasedBy(taken::release);
      TrackedArray<A> array =
          TrackedArray.of(
              readable
                  ? runtime.memory().adoptReadable(stream, described, arrayType)
                  : runtime.memory().adopt(stream, described, arrayType));
      return new Taken<>(this, array, taken, isOwn);
    } catch (Throwable e) {
      taken.giveBack();
      throw e;
    }
  }

  /**
   * Whether this runtime exported the tensor. The tensor of another one is that of another library.
   *
   * @throws IllegalArgumentException if this process exported it, and it is not the memory that it
   *     was made of
   */
  private static boolean isOwn(ManagedTensor tensor, ElementMemory memory, TrackedRuntime runtime) {
    TensorExport export = TensorExport.of(tensor);
    if (export == null) {
      return false;
    }
    TrackedArray<?> source = (TrackedArray<?>) export.source();
    long address = source.region() == null ? 0 : source.region().address();
    if (memory.sizeInBytes() > source.sizeInBytes()
        || (memory.sizeInBytes() > 0 && memory.address() != address)) {
      throw new IllegalArgumentException(
          tensor
              + " has "
              + memory.sizeInBytes()
              + " bytes at 0x"
              + Long.toHexString(memory.address())
              + "; it was exported from "
              + source);
    }
    return source.runtime() == runtime;
  }

  @Override
  public void delete() {
    become(State.DELETED);
    try {
      TensorImport.delete(address, form);
    } catch (IllegalStateException | IllegalArgumentException refused) {
      // Nothing was called: the tensor is still there.
      giveBack();
      throw refused;
    }
  }

  private synchronized void become(State next) {
    requireOfItsOwner();
    state = next;
  }

  private synchronized void giveBack() {
    state = State.OF_ITS_OWNER;
  }

  /** Held: this. */
  private void requireOfItsOwner() {
    if (state != State.OF_ITS_OWNER) {
      throw new IllegalStateException(
          this
              + (state == State.DELETED
                  ? " has been deleted"
                  : " has been adopted already; a tensor is adopted once, and closing its array"
                      + " deletes it"));
    }
  }

  /**
   * Reads the structure.
   *
   * @throws IllegalStateException if it is adopted or deleted, and may be gone
   */
  synchronized ManagedTensor read() {
    requireOfItsOwner();
    return ManagedTensor.read(address, form);
  }

  @Override
  public String toString() {
    return (form == Form.LEGACY ? "tensor at 0x" : "versioned tensor at 0x")
        + Long.toHexString(address);
  }
}
