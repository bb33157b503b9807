package dev.streamfence.simulation;

/**
 * Device memory as a {@link SimulatedKernel} reads and writes it, by addresses. Every access is
 * checked like one of a PTX kernel: an access outside every allocation, or at an address that is
 * not a multiple of the size, ends the device. Confined to the kernel's run.
 */
public interface KernelMemory {
  /** Reads one byte. */
  byte getByte(long address);

  /** Writes one byte. */
  void putByte(long address, byte value);

  /** Reads 2 bytes. */
  short getShort(long address);

  /** Writes 2 bytes. */
  void putShort(long address, short value);

  /** Reads 4 bytes. */
  int getInt(long address);

  /** Writes 4 bytes. */
  void putInt(long address, int value);

  /** Reads 8 bytes. */
  long getLong(long address);

  /** Writes 8 bytes. */
  void putLong(long address, long value);

  /** Reads 4 bytes. */
  float getFloat(long address);

  /** Writes 4 bytes. */
  void putFloat(long address, float value);

  /** Reads 8 bytes. */
  double getDouble(long address);

  /** Writes 8 bytes. */
  void putDouble(long address, double value);
}
