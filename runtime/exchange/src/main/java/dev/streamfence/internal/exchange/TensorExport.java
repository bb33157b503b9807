package dev.streamfence.internal.exchange;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ManagedTensor.Form;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tensor in native memory, built for another library. It ends once: by its deleter, or by {@link
 * #close} if it was not handed over. Thread-safe.
 */
public final class TensorExport implements AutoCloseable, Exports.Export {
  private static final class Deleters {
    static final ReleaseCallback LEGACY = deleter(Form.LEGACY);
    static final ReleaseCallback VERSIONED = deleter(Form.VERSIONED);

    static ReleaseCallback deleter(Form form) {
      return new ReleaseCallback(
          structure -> {
            long number = structure.getLong(form.contextAt());
            if (Exports.remove(number) instanceof TensorExport export) {
              export.end();
            }
          });
    }

    static long address(Form form) {
      return (form == Form.LEGACY ? LEGACY : VERSIONED).address();
    }
  }

  private final ManagedTensor tensor;
  private final Object source;
  private final long number;

  private final Memory memory;
  private final Runnable released;

  // Guarded by this, which a deleter never locks.
  private boolean handedOver;

  private TensorExport(
      Form form,
      ManagedTensor.Version version,
      long flags,
      DlTensor described,
      long deleter,
      Object source,
      Runnable released) {
    this.source = source;
    this.released = released;
    int dimensions = described.shape().size();
    memory = new Memory(form.sizeInBytes() + 2L * dimensions * Long.BYTES);
    number = Exports.add(this);
    tensor =
        new ManagedTensor(
            form, Pointer.nativeValue(memory), version, flags, described, number, deleter);
    write();
  }

  /**
   * Builds a tensor.
   *
   * @param maxMinor the minor version up to which its consumer understands the versioned form
   * @param flags for the versioned form, such as {@link ManagedTensor#READ_ONLY}
   * @param tensor with a stride for each dimension
   * @param source what the memory belongs to; kept until the end
   * @param released is called once at the end, by the thread that calls the deleter, which it must
   *     not block
   * @throws IllegalArgumentException if the legacy form cannot express the flags
   */
  public static TensorExport of(
      Form form, int maxMinor, long flags, DlTensor tensor, Object source, Runnable released) {
    NativeAddress.load();
    if (form == Form.LEGACY && flags != 0) {
      throw new IllegalArgumentException(
          "a legacy tensor says nothing of its flags, here "
              + NativeAddress.hex(flags)
              + "; export a versioned one");
    }
    if (tensor.strides().size() != tensor.shape().size()) {
      throw new IllegalArgumentException(
          tensor.strides().size() + " strides for the shape " + tensor.shape());
    }
    ManagedTensor.Version version =
        form == Form.LEGACY
            ? new ManagedTensor.Version(0, 0)
            : new ManagedTensor.Version(Form.MAJOR, Math.max(0, Math.min(Form.MINOR, maxMinor)));
    return new TensorExport(form, version, flags, tensor, Deleters.address(form), source, released);
  }

  /**
   * The export that a tensor is; null if another library made the tensor.
   *
   * @throws IllegalArgumentException if it is ours, but no longer describes the memory that it was
   *     made for
   */
  public static @Nullable TensorExport of(ManagedTensor tensor) {
    if (tensor.deleter() != Deleters.address(tensor.form())
        || !(Exports.get(tensor.context()) instanceof TensorExport export)) {
      return null;
    }
    ManagedTensor own = export.tensor;
    DlTensor now = tensor.tensor();
    DlTensor then = own.tensor();
    require(
        tensor, "address", NativeAddress.hex(tensor.address()), NativeAddress.hex(own.address()));
    require(tensor, "data at", NativeAddress.hex(now.data()), NativeAddress.hex(then.data()));
    require(tensor, "byte offset", now.byteOffset(), then.byteOffset());
    require(tensor, "device", now.device(), then.device());
    require(tensor, "element type", now.element(), then.element());
    require(tensor, "shape", now.shape(), then.shape());
    require(tensor, "strides", now.strides(), then.strides());
    require(tensor, "flags", tensor.flags(), own.flags());
    return export;
  }

  private static void require(ManagedTensor tensor, String field, Object now, Object then) {
    if (!now.equals(then)) {
      throw new IllegalArgumentException(
          tensor + " has the " + field + " " + now + "; it was exported with " + then);
    }
  }

  private void write() {
    Form form = tensor.form();
    DlTensor described = tensor.tensor();
    memory.clear();
    if (form == Form.VERSIONED) {
      memory.setInt(Form.MAJOR_AT, tensor.version().major());
      memory.setInt(Form.MINOR_AT, tensor.version().minor());
      memory.setLong(Form.FLAGS_AT, tensor.flags());
    }
    memory.setLong(form.contextAt(), tensor.context());
    memory.setLong(form.deleterAt(), tensor.deleter());
    int dimensions = described.shape().size();
    long shapeAt = form.sizeInBytes();
    long stridesAt = shapeAt + (long) dimensions * Long.BYTES;
    long at = form.tensorAt();
    memory.setLong(at + Form.DATA, described.data());
    memory.setInt(at + Form.DEVICE_TYPE, described.device().type());
    memory.setInt(at + Form.DEVICE_ID, described.device().id());
    memory.setInt(at + Form.DIMENSIONS, dimensions);
    memory.setByte(at + Form.TYPE_CODE, (byte) described.element().code());
    memory.setByte(at + Form.TYPE_BITS, (byte) described.element().bits());
    memory.setShort(at + Form.TYPE_LANES, (short) described.element().lanes());
    if (dimensions > 0) {
      memory.setLong(at + Form.SHAPE, tensor.address() + shapeAt);
      memory.setLong(at + Form.STRIDES, tensor.address() + stridesAt);
      write(described.shape(), shapeAt);
      write(described.strides(), stridesAt);
    }
    memory.setLong(at + Form.BYTE_OFFSET, described.byteOffset());
  }

  private void write(List<Long> values, long at) {
    for (int i = 0; i < values.size(); i++) {
      memory.setLong(at + (long) i * Long.BYTES, values.get(i));
    }
  }

  /** The tensor. */
  public ManagedTensor tensor() {
    return tensor;
  }

  /** What its memory belongs to. */
  public Object source() {
    return source;
  }

  /**
   * Hands the tensor over: from now on only its deleter ends it.
   *
   * @return the address of its structure
   * @throws IllegalStateException if it was handed over already, or is closed
   */
  public synchronized long handOver() {
    if (handedOver) {
      throw new IllegalStateException(tensor + " was handed over already");
    }
    if (Exports.get(number) != this) {
      throw new IllegalStateException(tensor + " is closed");
    }
    handedOver = true;
    return tensor.address();
  }

  /** Ends the tensor if it was not handed over; otherwise does nothing. */
  @Override
  public void close() {
    boolean ends;
    synchronized (this) {
      ends = !handedOver && Exports.remove(number) == this;
    }
    if (ends) {
      end();
    }
  }

  private void end() {
    memory.close();
    released.run();
  }

  @Override
  public String toString() {
    return tensor + " of " + source;
  }
}
