package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;

/**
 * Random programs over a few arrays, with a checksum of what is in them at the end. A seed decides
 * the steps and the stream of each; the order of the steps decides the checksum. So a device that
 * runs the steps of many streams and processes at the same time has to come to the checksum that
 * Java computes one step after the other.
 */
enum ChecksumProgram {
  /** The same arrays from the beginning to the end. */
  SHARED_ARRAYS {
    @Override
    void step(Machine machine, Random random) {
      work(machine, random);
    }
  },

  /** Arrays that are closed while they are in use, so that others get their memory. */
  REUSED_MEMORY {
    @Override
    void step(Machine machine, Random random) {
      if (random.nextInt(3) == 0) {
        machine.renew(random.nextInt(ARRAYS), random.nextInt());
      } else {
        work(machine, random);
      }
    }
  };

  private static final int ARRAYS = 5;
  private static final int STREAMS = 3;
  private static final int STEPS = 60;

  /** What the steps are done to. */
  private interface Machine {
    /** Closes an array and makes another one in its place. */
    void renew(int array, int value);

    void increment(int array);

    void add(int one, int other, int sum);

    void copy(int from, int to);

    /** The elements of an array, at the end. */
    int[] elements(int array);
  }

  abstract void step(Machine machine, Random random);

  private static void work(Machine machine, Random random) {
    int one = random.nextInt(ARRAYS);
    int second = (one + 1 + random.nextInt(ARRAYS - 2)) % ARRAYS;
    int last = (one + ARRAYS - 1) % ARRAYS;
    switch (random.nextInt(3)) {
      case 0 -> machine.increment(one);
      case 1 -> machine.add(one, second, last);
      default -> machine.copy(one, second);
    }
  }

  /** Runs a program on a device, over several streams. */
  long checksum(DeviceRuntime gpu, int elements, long seed) {
    List<DeviceStream> streams = new ArrayList<>();
    try {
      for (int i = 0; i < STREAMS; i++) {
        streams.add(gpu.streams().acquire());
      }
      DeviceMachine machine = new DeviceMachine(streams, new Random(~seed), elements);
      try {
        return checksum(machine, seed);
      } finally {
        machine.close();
      }
    } finally {
      streams.forEach(DeviceStream::close);
    }
  }

  /** The checksum of the same program, one step after the other. */
  long expected(int elements, long seed) {
    return checksum(new HostMachine(elements), seed);
  }

  private long checksum(Machine machine, long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < ARRAYS; i++) {
      machine.renew(i, random.nextInt());
    }
    for (int i = 0; i < STEPS; i++) {
      step(machine, random);
    }
    CRC32 checksum = new CRC32();
    for (int i = 0; i < ARRAYS; i++) {
      int[] elements = machine.elements(i);
      ByteBuffer bytes = ByteBuffer.allocate(elements.length * Integer.BYTES);
      bytes.asIntBuffer().put(elements);
      checksum.update(bytes);
    }
    return checksum.getValue();
  }

  private static final class HostMachine implements Machine {
    private final int[][] arrays;

    HostMachine(int elements) {
      arrays = new int[ARRAYS][elements];
    }

    @Override
    public void renew(int array, int value) {
      Arrays.fill(arrays[array], value);
    }

    @Override
    public void increment(int array) {
      Arrays.setAll(arrays[array], i -> arrays[array][i] + 1);
    }

    @Override
    public void add(int one, int other, int sum) {
      Arrays.setAll(arrays[sum], i -> arrays[one][i] + arrays[other][i]);
    }

    @Override
    public void copy(int from, int to) {
      arrays[to] = arrays[from].clone();
    }

    @Override
    public int[] elements(int array) {
      return arrays[array];
    }
  }

  private static final class DeviceMachine implements Machine {
    private final List<DeviceStream> streams;
    private final List<SuiteKernels> kernels;
    private final Random random;
    private final int elements;
    private final List<DeviceArray<int[]>> arrays = new ArrayList<>();

    DeviceMachine(List<DeviceStream> streams, Random random, int elements) {
      this.streams = streams;
      this.kernels = List.copyOf(streams.stream().map(SuiteKernelsLauncher::on).toList());
      this.random = random;
      this.elements = elements;
    }

    private DeviceStream stream() {
      return streams.get(random.nextInt(STREAMS));
    }

    private SuiteKernels kernels() {
      return kernels.get(random.nextInt(STREAMS));
    }

    @Override
    public void renew(int array, int value) {
      DeviceStream stream = stream();
      if (array < arrays.size()) {
        arrays.get(array).close();
      }
      DeviceArray<int[]> fresh = stream.runtime().memory().allocate(stream, int[].class, elements);
      if (array < arrays.size()) {
        arrays.set(array, fresh);
      } else {
        arrays.add(fresh);
      }
      fresh.fill(stream(), value);
    }

    @Override
    public void increment(int array) {
      kernels().incrementSlowly(arrays.get(array), elements, 20);
    }

    @Override
    public void add(int one, int other, int sum) {
      kernels().add(arrays.get(one), arrays.get(other), arrays.get(sum), elements);
    }

    @Override
    public void copy(int from, int to) {
      arrays.get(to).copyFrom(stream(), arrays.get(from));
    }

    @Override
    public int[] elements(int array) {
      return arrays.get(array).download(stream());
    }

    void close() {
      arrays.forEach(DeviceArray::close);
    }
  }
}
