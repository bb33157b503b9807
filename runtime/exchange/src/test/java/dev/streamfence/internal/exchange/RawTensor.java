package dev.streamfence.internal.exchange;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ManagedTensor.Form;

/** A tensor in native memory whose fields a test sets to anything. It has no deleter. */
final class RawTensor {
  static final long DATA = 0x7f00_0000_1000L;

  private final Form form;
  private final Memory structure;
  private final Memory sizes = new Memory(128 * Long.BYTES);

  /** A tensor of two rows of three floats on CUDA device 0. */
  RawTensor(Form form) {
    this.form = form;
    structure = new Memory(form.sizeInBytes());
    structure.clear();
    sizes.clear();
    if (form == Form.VERSIONED) {
      structure.setInt(Form.MAJOR_AT, 1);
    }
    setLong(Form.DATA, DATA);
    setInt(Form.DEVICE_TYPE, DeviceTag.CUDA);
    type(2, 32, 1);
    shape(2, 3);
    strides(3, 1);
  }

  RawTensor version(int major, int minor) {
    structure.setInt(Form.MAJOR_AT, major);
    structure.setInt(Form.MINOR_AT, minor);
    return this;
  }

  RawTensor flags(long flags) {
    structure.setLong(Form.FLAGS_AT, flags);
    return this;
  }

  RawTensor deleter(long function) {
    structure.setLong(form.deleterAt(), function);
    return this;
  }

  RawTensor device(int type, int id) {
    setInt(Form.DEVICE_TYPE, type);
    setInt(Form.DEVICE_ID, id);
    return this;
  }

  RawTensor type(int code, int bits, int lanes) {
    long at = form.tensorAt();
    structure.setByte(at + Form.TYPE_CODE, (byte) code);
    structure.setByte(at + Form.TYPE_BITS, (byte) bits);
    structure.setShort(at + Form.TYPE_LANES, (short) lanes);
    return this;
  }

  RawTensor shape(long... shape) {
    for (int i = 0; i < shape.length; i++) {
      sizes.setLong((long) i * Long.BYTES, shape[i]);
    }
    setInt(Form.DIMENSIONS, shape.length);
    setLong(Form.SHAPE, Pointer.nativeValue(sizes));
    return setLong(Form.STRIDES, 0);
  }

  RawTensor strides(long... strides) {
    for (int i = 0; i < strides.length; i++) {
      sizes.setLong((64L + i) * Long.BYTES, strides[i]);
    }
    return setLong(Form.STRIDES, Pointer.nativeValue(sizes) + 64 * Long.BYTES);
  }

  RawTensor setInt(int field, int value) {
    structure.setInt(form.tensorAt() + field, value);
    return this;
  }

  RawTensor setLong(int field, long value) {
    structure.setLong((long) form.tensorAt() + field, value);
    return this;
  }

  /** Overwrites a byte of the structure. */
  void setByte(int at, byte value) {
    structure.setByte(at, value);
  }

  long address() {
    return Pointer.nativeValue(structure);
  }

  ManagedTensor read() {
    return ManagedTensor.read(address(), form);
  }

  /** How an error names it. */
  String name() {
    return ManagedTensor.describe(address(), form);
  }
}
