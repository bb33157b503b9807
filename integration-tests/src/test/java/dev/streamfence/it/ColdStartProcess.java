package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A process whose very first calls come from eight threads at once. */
final class ColdStartProcess {
  private static final int THREADS = 8;

  private ColdStartProcess() {}

  /** Prints the number of shared runtimes, and whether the statistics count an array. */
  public static void main(String[] arguments) throws Exception {
    CyclicBarrier start = new CyclicBarrier(THREADS);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    Set<DeviceRuntime> runtimes = Collections.newSetFromMap(new IdentityHashMap<>());
    try {
      List<Future<DeviceRuntime>> first = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        first.add(
            threads.submit(
                () -> {
                  start.await();
                  return DeviceRuntime.shared(0);
                }));
      }
      for (Future<DeviceRuntime> future : first) {
        runtimes.add(future.get());
      }
    } finally {
      threads.shutdown();
    }
    DeviceRuntime gpu = runtimes.iterator().next();
    DeviceStream stream = gpu.streams().acquire();
    long before = gpu.memory().bytesOutstanding();
    DeviceArray<byte[]> array = gpu.memory().allocate(stream, byte[].class, 1024);
    long with = gpu.memory().bytesOutstanding();
    array.close();
    stream.synchronize();
    gpu.memory().reap();
    System.out.println(
        runtimes.size()
            + " runtimes, "
            + (with - before)
            + " bytes, then "
            + (gpu.memory().bytesOutstanding() - before));
  }
}
