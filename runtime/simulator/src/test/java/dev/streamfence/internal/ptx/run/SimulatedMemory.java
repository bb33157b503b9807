package dev.streamfence.internal.ptx.run;

import dev.streamfence.corpus.Buffers;
import dev.streamfence.corpus.KernelCase;
import dev.streamfence.corpus.KernelStruct;
import dev.streamfence.internal.ptx.run.machine.Bytes;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.ptx.syntax.Layout;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.Map;
import java.util.TreeMap;

/** Global memory for tests: buffers with gaps between them, which no access may touch. */
public final class SimulatedMemory implements GlobalMemory, KernelCase.Device {
  private static final long GAP = 256;

  private final TreeMap<Long, byte[]> buffers = new TreeMap<>();
  private long next = 0x7F00_0000_0000L;

  /** Adds a buffer to the device, which uses it in place. */
  public long add(byte[] buffer) {
    long address = next;
    buffers.put(address, buffer);
    next = Layout.aligned(address + buffer.length + GAP, 256);
    return address;
  }

  private Map.Entry<Long, byte[]> find(long address, int bytes) {
    Map.Entry<Long, byte[]> entry = buffers.floorEntry(address);
    if (entry == null || address + bytes > entry.getKey() + entry.getValue().length) {
      throw new IndexOutOfBoundsException("no buffer");
    }
    return entry;
  }

  @Override
  public long load(long address, int bytes) {
    Map.Entry<Long, byte[]> entry = find(address, bytes);
    return Bytes.get(entry.getValue(), (int) (address - entry.getKey()), bytes);
  }

  @Override
  public void store(long address, int bytes, long value) {
    Map.Entry<Long, byte[]> entry = find(address, bytes);
    Bytes.put(entry.getValue(), (int) (address - entry.getKey()), bytes, value);
  }

  public PtxInstance load(String ptx) {
    PtxProgram program = PtxProgram.translate(PtxModule.parse(ptx));
    long[] addresses =
        program.globals().stream()
            .mapToLong(variable -> add(new byte[(int) variable.sizeInBytes()]))
            .toArray();
    return program.instantiate(this, addresses);
  }

  @Override
  public void run(String ptx, String entry, PtxGrid grid, java.util.List<Object> arguments) {
    run(load(ptx), entry, grid, arguments.toArray());
  }

  public void run(PtxInstance instance, String entry, PtxGrid grid, Object... arguments) {
    instance.run(entry, grid, parameters(instance, entry, arguments), this);
  }

  public void runTogether(PtxInstance instance, String entry, PtxGrid grid, Object... arguments) {
    instance.runTogether(entry, grid, parameters(instance, entry, arguments), this);
  }

  private byte[] parameters(PtxInstance instance, String entry, Object... arguments) {
    byte[] parameters = new byte[instance.parameterSpaceSize(entry)];
    for (int i = 0; i < arguments.length; i++) {
      int offset = instance.parameterOffset(entry, i);
      Object argument = arguments[i];
      if (argument instanceof byte[] buffer) {
        Buffers.view(parameters).putLong(offset, add(buffer));
      } else if (argument instanceof Long value) {
        Buffers.view(parameters).putLong(offset, value);
      } else if (argument instanceof Integer value) {
        Buffers.view(parameters).putInt(offset, value);
      } else if (argument instanceof Float value) {
        Buffers.view(parameters).putFloat(offset, value);
      } else if (argument instanceof KernelStruct struct) {
        System.arraycopy(struct.bytes(), 0, parameters, offset, struct.bytes().length);
      } else {
        throw new IllegalArgumentException("what is " + argument + "?");
      }
    }
    return parameters;
  }
}
