package dev.streamfence.contract;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A random program that allocates, fills, copies, compares and closes arrays. It goes on after a
 * planned failure of a driver call, and closes again what could not be closed. Confined to one
 * thread.
 */
final class MemoryProgram {
  private static final int SMALL = 5000;
  private static final int LARGE = 200_000;
  private static final int MOST_OPEN = 20;

  private record Block(DeviceArray<byte[]> array, byte value) {}

  private final DeviceRuntime runtime;
  private final Random random;
  private final int streams;
  private int failuresLeft;
  private final List<Block> open = new ArrayList<>();

  /**
   * Creates a program.
   *
   * @param failures how many driver calls will fail
   */
  MemoryProgram(DeviceRuntime runtime, long seed, int streams, int failures) {
    this.failuresLeft = failures;
    this.runtime = runtime;
    this.random = new Random(seed);
    this.streams = streams;
  }

  /** Runs some steps, and closes everything. */
  void run(int steps) {
    List<DeviceStream> acquired = new ArrayList<>();
    try {
      while (acquired.size() < streams) {
        tolerating(() -> acquired.add(runtime.streams().acquire()));
      }
      for (int i = 0; i < steps; i++) {
        tolerating(() -> step(acquired));
      }
    } finally {
      for (Block block : open) {
        closeSurely(block);
      }
      acquired.forEach(DeviceStream::close);
    }
  }

  private void step(List<DeviceStream> acquired) {
    DeviceStream stream = acquired.get(random.nextInt(streams));
    int choice = random.nextInt(10);
    if (choice < 4 && open.size() < MOST_OPEN) {
      int bound = random.nextInt(8) == 0 ? LARGE : SMALL;
      create(stream, 1 + random.nextInt(bound));
    } else if (open.isEmpty()) {
      runtime.memory().reap();
    } else if (choice < 6) {
      copy(stream, open.get(random.nextInt(open.size())));
    } else if (choice < 7) {
      compare(stream, open.get(random.nextInt(open.size())));
    } else if (choice < 9) {
      closeSurely(open.remove(random.nextInt(open.size())));
    } else {
      stream.synchronize();
    }
  }

  private void create(DeviceStream stream, int size) {
    byte value = (byte) random.nextInt();
    DeviceArray<byte[]> array = runtime.memory().allocate(stream, byte[].class, size);
    try {
      array.fill(stream, (long) value);
      open.add(new Block(array, value));
    } catch (CudaDriverException e) {
      array.close();
      throw e;
    }
  }

  /** Copies a block to a new one, perhaps on another stream than its own. */
  private void copy(DeviceStream stream, Block source) {
    DeviceArray<byte[]> target =
        runtime.memory().allocate(stream, byte[].class, source.array().length());
    try {
      target.copyFrom(stream, source.array());
      open.add(new Block(target, source.value()));
    } catch (CudaDriverException e) {
      target.close();
      throw e;
    }
  }

  private static void compare(DeviceStream stream, Block block) {
    byte[] content = block.array().download(stream);
    for (int i = 0; i < content.length; i++) {
      if (content[i] != block.value()) {
        throw new IllegalStateException(
            "byte " + i + " of " + block.array() + " is " + content[i] + ", not " + block.value());
      }
    }
  }

  private void closeSurely(Block block) {
    tolerating(block.array()::close);
    // Does nothing if the array is closed.
    block.array().close();
  }

  /** Runs a step, and does nothing about a planned failure of a driver call in it. */
  private void tolerating(Runnable step) {
    try {
      step.run();
    } catch (CudaDriverException e) {
      tolerate(e, !e.isSticky());
    } catch (OutOfMemoryBudgetException e) {
      tolerate(e, e.isByDriver());
    }
  }

  private void tolerate(RuntimeException failure, boolean canBePlanned) {
    if (!canBePlanned || failuresLeft == 0) {
      throw failure;
    }
    failuresLeft--;
  }
}
