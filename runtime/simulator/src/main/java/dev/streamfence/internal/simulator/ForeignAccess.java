package dev.streamfence.internal.simulator;

import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.simulation.KernelMemory;

/** The implementation of {@link KernelMemory}. Confined to the driver's lock. */
public final class ForeignAccess implements KernelMemory {
  private final GlobalMemory memory;
  private boolean ended;

  ForeignAccess(GlobalMemory memory) {
    this.memory = memory;
  }

  /** Refuses every later access. */
  void end() {
    ended = true;
  }

  @Override
  public byte getByte(long address) {
    return (byte) load(address, Byte.BYTES);
  }

  @Override
  public void putByte(long address, byte value) {
    store(address, Byte.BYTES, value);
  }

  @Override
  public short getShort(long address) {
    return (short) load(address, Short.BYTES);
  }

  @Override
  public void putShort(long address, short value) {
    store(address, Short.BYTES, value);
  }

  @Override
  public int getInt(long address) {
    return (int) load(address, Integer.BYTES);
  }

  @Override
  public void putInt(long address, int value) {
    store(address, Integer.BYTES, value);
  }

  @Override
  public long getLong(long address) {
    return load(address, Long.BYTES);
  }

  @Override
  public void putLong(long address, long value) {
    store(address, Long.BYTES, value);
  }

  @Override
  public float getFloat(long address) {
    return Float.intBitsToFloat(getInt(address));
  }

  @Override
  public void putFloat(long address, float value) {
    putInt(address, Float.floatToRawIntBits(value));
  }

  @Override
  public double getDouble(long address) {
    return Double.longBitsToDouble(getLong(address));
  }

  @Override
  public void putDouble(long address, double value) {
    putLong(address, Double.doubleToRawLongBits(value));
  }

  private long load(long address, int bytes) {
    requireAllowed(address, bytes);
    return memory.load(address, bytes);
  }

  private void store(long address, int bytes, long value) {
    requireAllowed(address, bytes);
    memory.store(address, bytes, value);
  }

  private void requireAllowed(long address, int bytes) {
    if (ended) {
      throw new IllegalStateException("the kernel that this memory was given to has ended");
    }
    if (address % bytes != 0) {
      throw new IllegalAccess(
          bytes + " bytes at 0x" + Long.toHexString(address) + " are not aligned", address);
    }
  }
}
