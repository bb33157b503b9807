package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.internal.ptx.run.PtxProgram;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.PtxParameter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * One launch of a kernel on the interpreter, with arrays so far apart that each access belongs to
 * one, and with the bytes that it touches.
 */
final class ObservedLaunch implements GlobalMemory, LaunchNumbers {
  private static final long APART = 1L << 44;

  /** No number that a launch passes leads here. */
  private static final long FIRST = 0x1000_0000_0000L;

  private static final long INSTRUCTIONS = 60_000;

  private final KernelBounds bounds;
  private final PtxGrid grid;
  private final byte[] parameters;
  private final PtxInstance instance;
  private final PtxEntry entry;
  private final long seed;
  private final List<Set<Long>> touched = new ArrayList<>();

  /** Whether the launch ended without a fault. */
  boolean completed;

  /** Prepares a launch with random numbers. */
  ObservedLaunch(
      PtxModule module, PtxProgram program, PtxEntry entry, KernelBounds bounds, Random random) {
    this.bounds = bounds;
    this.entry = entry;
    this.seed = random.nextLong();
    this.instance =
        program
            .instantiate(this, new long[program.globals().size()])
            .withInstructionLimit(INSTRUCTIONS)
            .withOutput(text -> {});
    this.grid =
        new PtxGrid(
            1 + random.nextInt(4),
            1 + (random.nextInt(3) == 0 ? random.nextInt(3) : 0),
            1,
            1 << random.nextInt(6),
            1 + (random.nextInt(3) == 0 ? random.nextInt(4) : 0),
            1,
            4096);
    this.parameters = new byte[instance.parameterSpaceSize(entry.name())];
    ByteBuffer buffer = ByteBuffer.wrap(parameters).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < parameters.length - 3; i += 4) {
      buffer.putInt(i, number(random));
    }
    for (int i = 0; i < entry.parameters().size(); i++) {
      int at = instance.parameterOffset(entry.name(), i);
      PtxParameter parameter = entry.parameters().get(i);
      if (parameter.kind() == PtxParameter.ParameterKind.STRUCT) {
        // Two numbers together are no address of an array.
        for (int word = 0; word < parameter.sizeInBytes() - 3; word += 4) {
          buffer.putInt(at + word, random.nextInt(1000));
        }
      }
      if (parameter.sizeInBytes() == Long.BYTES) {
        buffer.putLong(at, number(random));
      }
      if (parameter.kind() == PtxParameter.ParameterKind.FLOAT) {
        buffer.putInt(at, Float.floatToIntBits(random.nextFloat()));
      }
    }
    for (int i = 0; i < bounds.arrays().size(); i++) {
      touched.add(new HashSet<>());
      buffer.putLong(place(bounds.arrays().get(i).place()), base(i));
    }
  }

  private int place(ArrayPlace array) {
    return instance.parameterOffset(entry.name(), array.parameter()) + array.offset();
  }

  private static long base(int array) {
    return FIRST + array * APART;
  }

  private static int number(Random random) {
    return switch (random.nextInt(12)) {
      case 0 -> 0;
      case 1 -> -random.nextInt(40);
      case 2 -> random.nextInt(2000);
      case 3 -> random.nextInt();
      case 4 -> 1 << random.nextInt(31);
      case 5 -> Integer.MAX_VALUE - random.nextInt(300);
      default -> random.nextInt(130);
    };
  }

  /** Runs the launch. */
  void run() {
    try {
      instance.run(entry.name(), grid, parameters, this);
      completed = true;
    } catch (PtxFault e) {
      // What it has touched until then counts.
    }
  }

  Set<Long> touched(int array) {
    return touched.get(array);
  }

  @Override
  public long argument(int argument) {
    NumberPlace place = bounds.launches().arguments().get(argument);
    ByteBuffer buffer = ByteBuffer.wrap(parameters).order(ByteOrder.LITTLE_ENDIAN);
    int at = instance.parameterOffset(entry.name(), place.parameter()) + place.offset();
    return switch (place.bytes()) {
      case 1 -> buffer.get(at);
      case 2 -> buffer.getShort(at);
      case 4 -> buffer.getInt(at);
      default -> buffer.getLong(at);
    };
  }

  @Override
  public int block(int dimension) {
    return new int[] {grid.blockX(), grid.blockY(), grid.blockZ()}[dimension];
  }

  @Override
  public int grid(int dimension) {
    return new int[] {grid.gridX(), grid.gridY(), grid.gridZ()}[dimension];
  }

  private void note(long address, int bytes) {
    for (int i = 0; i < touched.size(); i++) {
      if (Math.abs(address - base(i)) < APART / 2) {
        for (int each = 0; each < bytes; each++) {
          touched.get(i).add(address - base(i) + each);
        }
      }
    }
  }

  @Override
  public long load(long address, int bytes) {
    note(address, bytes);
    // Mostly small, so that loaded indexes and bounds lead somewhere.
    long mixed = (address ^ seed) * 0x9E37_79B9_7F4A_7C15L;
    long value = (mixed >>> 60) < 13 ? (mixed >>> 40) & 63 : mixed >>> 7;
    return bytes == 8 ? value & 0xFFFF_FFFFL : value & ((1L << 8 * bytes) - 1);
  }

  @Override
  public void store(long address, int bytes, long value) {
    note(address, bytes);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(entry.name()).append(' ').append(grid);
    for (int i = 0; i < bounds.launches().arguments().size(); i++) {
      text.append(' ').append(bounds.launches().arguments().get(i)).append('=').append(argument(i));
    }
    return text.toString();
  }
}
