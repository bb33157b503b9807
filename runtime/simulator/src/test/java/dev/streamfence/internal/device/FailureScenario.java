package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.Download;
import dev.streamfence.PinnedArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.memory.AllocationLog;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.Retry;
import dev.streamfence.memory.RowRange;
import dev.streamfence.memory.SpillableArray;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import dev.streamfence.trace.Trace;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A program of the failure matrix over the public interface, with the expected data, which no
 * failure may change. Each runs on one host thread, or on two that take turns, so that the n-th
 * driver call is the same in every run.
 */
enum FailureScenario {
  STREAMS {
    @Override
    void run(FailureWorld world) {
      DeviceStream first = world.stream();
      world.upload(first, 1, 2);
      DeviceStream urgent = world.op("acquiring", () -> world.gpu.streams().acquire(-1));
      world.streams.add(urgent);
      DeviceStream shared = world.op("default", () -> world.gpu.streams().defaultStream());
      world.upload(shared, 3);
      world.upload(urgent, 4);
      world.op("asking", first::isIdle);
      world.run("synchronising", urgent::synchronize);
      world.run("synchronising all", world.gpu::synchronize);
      assertThat(world.op("asking", first::isIdle)).isTrue();
      world.streams.remove(first);
      world.run("closing", first::close);
      world.upload(world.stream(), 5);
    }
  },
  ONE_CHUNK {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      DeviceArray<int[]> values = world.upload(a, 1, 2, 3);
      DeviceArray<int[]> others = world.upload(b, 4, 5);
      world.run("uploading", () -> values.upload(b, new int[] {6, 7, 8}));
      world.holds(values, a, 6, 7, 8);
      world.holds(others, a, 4, 5);
      int[] target = new int[4];
      world.run("downloading", () -> values.download(b, target));
      assertThat(target).containsExactly(6, 7, 8, 0);
    }
  },
  SEVERAL_CHUNKS {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      byte[] source = new byte[FailureWorld.CHUNK_BYTES + 3];
      source[0] = 1;
      source[source.length - 1] = 2;
      DeviceArray<byte[]> values =
          world.make("uploading", () -> world.gpu.memory().upload(a, source));
      byte[] copied = world.op("downloading", () -> values.download(a));
      assertThat(copied[0]).isEqualTo((byte) 1);
      assertThat(copied[copied.length - 1]).isEqualTo((byte) 2);
    }
  },
  MANY_CHUNKS {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      byte[] source = new byte[3 * FailureWorld.CHUNK_BYTES];
      source[0] = 1;
      source[source.length - 1] = 2;
      DeviceArray<byte[]> values =
          world.make("uploading", () -> world.gpu.memory().upload(a, source));
      assertThat(world.op("downloading", () -> values.download(a))).isEqualTo(source);
      world.run("filling", () -> values.fill(world.stream(), 3));
      assertThat(world.op("downloading", () -> values.download(a))).containsOnly(3);
    }
  },
  FILLS {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceMemory memory = world.gpu.memory();
      DeviceArray<boolean[]> booleans =
          world.make("zeroing", () -> memory.allocateZeroed(a, boolean[].class, 3));
      DeviceArray<short[]> shorts =
          world.make("zeroing", () -> memory.allocateZeroed(a, short[].class, 3));
      DeviceArray<float[]> floats =
          world.make("zeroing", () -> memory.allocateZeroed(a, float[].class, 3));
      DeviceArray<long[]> longs =
          world.make("allocating", () -> memory.allocate(a, long[].class, 3));
      DeviceArray<double[]> doubles =
          world.make("allocating", () -> memory.allocate(a, double[].class, 3));
      world.run("filling", () -> booleans.fill(a, true));
      world.run("filling", () -> shorts.fill(a, -2));
      world.run("filling", () -> floats.fill(a, 1.5));
      world.run("filling", () -> longs.fill(a, -1L));
      world.run("filling", () -> longs.fill(a, 1L << 40 | 7));
      world.run("filling", () -> doubles.fill(a, 2.25));
      assertThat(world.op("downloading", () -> booleans.download(a)))
          .containsExactly(true, true, true);
      assertThat(world.op("downloading", () -> shorts.download(a))).containsOnly((short) -2);
      assertThat(world.op("downloading", () -> floats.download(a))).containsOnly(1.5f);
      assertThat(world.op("downloading", () -> longs.download(a))).containsOnly(1L << 40 | 7);
      assertThat(world.op("downloading", () -> doubles.download(a))).containsOnly(2.25);
    }
  },
  COPIES {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      DeviceArray<int[]> values = world.upload(a, 1, 2, 3);
      DeviceArray<int[]> copy = world.make("copying", () -> values.copy(b));
      world.run("filling", () -> values.fill(a, 9));
      DeviceArray<int[]> target = world.allocate(b, 3);
      world.run("copying", () -> target.copyFrom(a, copy));
      world.run("copying", () -> copy.copyFrom(b, values));
      world.holds(target, b, 1, 2, 3);
      world.holds(copy, a, 9, 9, 9);
    }
  },
  PEER_COPIES {
    @Override
    int devices() {
      return 2;
    }

    @Override
    void run(FailureWorld world) {
      try (DeviceRuntime peer = world.openPeer()) {
        DeviceStream here = world.stream();
        DeviceStream there = peer.streams().acquire();
        DeviceArray<int[]> values = world.upload(here, 1, 2, 3);
        DeviceArray<int[]> away = peer.memory().allocate(there, int[].class, 3);
        world.run("copying", () -> away.copyFrom(there, values));
        world.run("filling", () -> values.fill(here, 9));
        world.holds(away, there, 1, 2, 3);
        away.fill(there, 4);
        world.run("copying", () -> values.copyFrom(here, away));
        away.fill(there, 5);
        world.holds(values, here, 4, 4, 4);
        DeviceArray<int[]> back = world.make("copying", () -> away.copyTo(here));
        away.close();
        world.holds(back, here, 5, 5, 5);
      }
    }
  },
  PEER_LAUNCHES {
    @Override
    int devices() {
      return 2;
    }

    @Override
    void run(FailureWorld world) {
      DeviceRuntime peer = world.openPeer();
      DeviceStream here = world.stream();
      DeviceStream there = peer.streams().acquire();
      LaunchRecorder own =
          world.recorder(here, FailureKernel.IMAGE, FailureKernel.INCREMENT_FOR_PEERS);
      LaunchRecorder other =
          LoadedModule.of(there, FailureKernel.IMAGE)
              .recorder(FailureKernel.INCREMENT_FOR_PEERS.signature());
      DeviceArray<int[]> values = world.upload(here, 1, 2, 3);
      DeviceArray<int[]> away = peer.memory().upload(there, new int[] {4, 5, 6});
      world.run("incrementing", () -> FailureKernel.increment(other, values));
      world.run("incrementing", () -> FailureKernel.increment(own, away));
      world.run("incrementing", () -> FailureKernel.increment(own, values));
      FailureKernel.increment(other, away);
      world.run("incrementing", () -> FailureKernel.increment(other, values));
      world.holds(values, here, 4, 5, 6);
      world.holds(away, there, 6, 7, 8);
      world.run("incrementing", () -> FailureKernel.increment(own, away));
      away.close();
      world.run("filling", () -> values.fill(here, 9));
      world.holds(values, here, 9, 9, 9);
      // Only if the first device is not lost: the simulated one still carries out its launches.
      peer.close();
    }
  },
  CAPTURED {
    @Override
    void run(FailureWorld world) {
      SimulatedLibrary library = world.device.library("owner");
      long handle = library.createStream();
      DeviceStream own = world.stream();
      DeviceStream adopted = world.op("adopting", () -> world.gpu.streams().adopt(handle));
      world.streams.add(adopted);
      LaunchRecorder increment =
          world.recorder(adopted, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      DeviceArray<int[]> values = world.upload(own, 1, 2, 3);
      DeviceArray<int[]> brief = world.upload(adopted, 7);
      world.run("launching", () -> FailureKernel.increment(increment, values));
      library.beginCapture(handle);
      world.capturing("launching", () -> FailureKernel.increment(increment, values));
      world.capturing("filling", () -> values.fill(adopted, 0));
      world.run("closing", brief::close);
      world.holds(values, own, 2, 3, 4);
      library.endCapture(handle);
      world.run("launching", () -> FailureKernel.increment(increment, values));
      world.holds(values, own, 3, 4, 5);
    }
  },
  GRAPHS {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      DeviceArray<int[]> values = world.upload(a, 1, 2, 3);
      DeviceArray<int[]> copy = world.upload(b, 0, 0, 0);
      DeviceArray<int[]> other = world.upload(b, 5, 6, 7);
      DeviceArray<int[]> passes = world.upload(b, 1);
      DeviceArray<int[]> extra = world.upload(b, 0);
      LaunchRecorder increment = world.recorder(a, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      LaunchRecorder bump = world.recorder(b, FailureKernel.IMAGE, FailureKernel.BUMP);
      KernelGraph graph =
          world.op(
              "recording",
              () ->
                  world.gpu.graph(
                      "failing",
                      body -> {
                        DeviceArray<int[]> scratch = body.scratch(a, int[].class, 3);
                        scratch.fill(b, 1);
                        FailureKernel.bump(bump, List.of(copy, scratch), 3);
                        FailureKernel.increment(increment, body.input("values", values));
                        copy.copyFrom(b, values);
                        for (int i = 0; i < 2; i++) {
                          try (DeviceArray<int[]> closed = copy.copy(a)) {
                            extra.copyFrom(b, closed.view(0, 1));
                          }
                        }
                        body.whileNonZero(
                            passes,
                            pass -> {
                              passes.fill(b, 0);
                              pass.ifNonZero(copy, then -> extra.fill(a, 4));
                            });
                      }));
      world.graphs.add(graph);
      world.run("launching", () -> graph.launch(a));
      world.holds(copy, b, 2, 3, 4);
      world.run("binding", () -> graph.bind("values", other));
      world.run("launching", () -> graph.launch(b));
      world.holds(copy, a, 6, 7, 8);
      world.holds(values, a, 2, 3, 4);
      world.run(
          "recording again",
          () -> graph.recordAgain(body -> FailureKernel.increment(increment, values)));
      world.run("launching", () -> graph.launch(b));
      world.run("closing", graph::close);
    }
  },
  ONE_STREAM {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceArray<int[]> values = world.upload(a, 1, 2, 3);
      LaunchRecorder increment = world.recorder(a, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      for (int i = 0; i < 3; i++) {
        world.run("launching", () -> FailureKernel.increment(increment, values));
      }
      world.holds(values, a, 4, 5, 6);
    }
  },
  TWO_STREAMS {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      LaunchRecorder increment = world.recorder(a, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      LaunchRecorder add = world.recorder(b, FailureKernel.IMAGE, FailureKernel.ADD);
      DeviceArray<int[]> left = world.upload(a, 1, 2);
      DeviceArray<int[]> right = world.upload(b, 10, 20);
      DeviceArray<int[]> sum = world.allocate(a, 2);
      world.run("launching", () -> FailureKernel.increment(increment, left));
      world.run("launching", () -> FailureKernel.add(add, left, right, sum));
      world.run("launching", () -> FailureKernel.increment(increment, left));
      world.run("launching", () -> FailureKernel.increment(increment, sum));
      world.run("launching", () -> FailureKernel.add(add, left, sum, right));
      world.holds(sum, b, 13, 24);
      world.holds(right, a, 16, 28);
    }
  },
  TRACED {
    @Override
    RuntimeOptions options() {
      return super.options().withTrace(Trace.inMemory(5)).withDeviceTimes(true);
    }

    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      LaunchRecorder onA = world.recorder(a, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      LaunchRecorder onB = world.recorder(b, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      DeviceArray<int[]> values = world.upload(a, 1, 2);
      for (int i = 0; i < 2; i++) {
        world.run("launching", () -> FailureKernel.increment(onA, values));
        world.run("launching", () -> FailureKernel.increment(onB, values));
      }
      world.holds(values, a, 5, 6);
      world.op("reading the times", world.gpu::kernelTimes);
      assertThat(world.op("reading", () -> world.gpu.trace().works())).hasSize(5);
    }
  },
  FREED_WHILE_USED_ELSEWHERE {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      LaunchRecorder add = world.recorder(b, FailureKernel.IMAGE, FailureKernel.ADD);
      DeviceArray<int[]> input = world.upload(a, 1, 2);
      DeviceArray<int[]> sum = world.allocate(b, 2);
      world.run("launching", () -> FailureKernel.add(add, input, input, sum));
      world.run("closing", input::close);
      DeviceArray<int[]> next = world.allocate(a, 2);
      world.run("filling", () -> next.fill(a, 7));
      world.holds(sum, a, 2, 4);
      world.holds(next, b, 7, 7);
    }
  },
  CLOSED_DURING_LAUNCH {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      LaunchRecorder increment = world.recorder(a, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      DeviceArray<int[]> kept = world.upload(b, 1, 2);
      DeviceArray<?>[] closed = new DeviceArray<?>[1];
      world.run(
          "launching on an array that is closed meanwhile",
          () -> {
            DeviceArray<int[]> brief = world.gpu.memory().allocateZeroed(b, int[].class, 2);
            closed[0] = brief;
            world.arrays.add(brief);
            FailureKernel.increment(increment, brief, () -> world.inOtherThread(brief::close));
          });
      assertThat(closed[0].isOpen()).isFalse();
      world.run("launching", () -> FailureKernel.increment(increment, kept));
      world.upload(b, 5, 6);
      world.holds(kept, b, 2, 3);
    }
  },
  ABANDONED_LAUNCH {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      DeviceArray<int[]> values = world.upload(b, 1, 2);
      LaunchRecorder increment = world.recorder(a, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      world.run(
          "abandoning before the launch",
          () -> {
            try (LaunchRecorder recorder = increment.begin()) {
              FailureKernel.prepare(recorder, values);
            }
          });
      world.run("filling", () -> values.fill(b, 4));
      world.run(
          "abandoning before the commit",
          () -> {
            try (LaunchRecorder recorder = increment.begin()) {
              FailureKernel.prepare(recorder, values);
              recorder.launch();
            }
          });
      world.holds(values, b, 5, 5);
    }
  },
  SHORT_BUDGET {
    @Override
    RuntimeOptions options() {
      return super.options().withMemoryBudget(MemoryBudget.ofBytes(64));
    }

    @Override
    void run(FailureWorld world) {
      shortOfMemory(world);
    }
  },
  SHORT_DEVICE {
    @Override
    long memoryInBytes() {
      return 4096;
    }

    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      DeviceArray<int[]> large = world.allocate(a, 800);
      world.run("filling", () -> large.fill(b, 1));
      world.run("closing", large::close);
      DeviceArray<int[]> next = world.allocate(a, 700);
      world.refused("too much", () -> world.gpu.memory().allocate(b, int[].class, 800));
      world.run("filling", () -> next.fill(b, 2));
      assertThat(world.op("downloading", () -> next.download(a))).containsOnly(2);
    }
  },
  GUARDED {
    @Override
    RuntimeOptions options() {
      return super.options().withGuardMemory(true);
    }

    @Override
    void run(FailureWorld world) {
      memory(world);
    }
  },
  DIRECT {
    @Override
    RuntimeOptions options() {
      return super.options().withDirectMemory(true);
    }

    @Override
    void run(FailureWorld world) {
      memory(world);
    }
  },
  LOGGED_GUARDED_DIRECT {
    @Override
    RuntimeOptions options() {
      return super.options()
          .withGuardMemory(true)
          .withDirectMemory(true)
          .withAllocationLog(AllocationLog.inMemory())
          .withMemoryBudget(MemoryBudget.ofBytes(64));
    }

    @Override
    void run(FailureWorld world) {
      shortOfMemory(world);
    }
  },
  RESERVATION {
    @Override
    RuntimeOptions options() {
      return super.options()
          .withAllocationLog(AllocationLog.inMemory())
          .withMemoryBudget(MemoryBudget.ofBytes(64));
    }

    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceArray<int[]> before = world.allocate(a, 8);
      world.run("closing", before::close);
      try (MemoryReservation reservation =
          world.op("reserving", () -> world.gpu.memory().reserve(64))) {
        DeviceArray<int[]> first =
            world.make("drawing", () -> reservation.allocate(a, int[].class, 4));
        assertThat(reservation.remainingBytes()).isEqualTo(48);
        DeviceArray<int[]> second =
            world.make("drawing", () -> reservation.allocate(a, int[].class, 4));
        world.run("filling", () -> first.fill(a, 3));
        world.run("copying", () -> second.copyFrom(a, first));
        world.holds(second, a, 3, 3, 3, 3);
        assertThat(world.gpu.memory().statistics().promisedBytes()).isEqualTo(32);
      }
    }
  },
  MODULES {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      LaunchRecorder increment = world.recorder(a, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      LaunchRecorder reverse = world.recorder(a, FailureKernel.IMAGE, FailureKernel.REVERSE);
      DeviceArray<int[]> values = world.upload(a, 1, 2);
      LaunchShape shape = LaunchShape.of(1, 2).withDynamicSharedBytes(100 << 10);
      world.run("launching", () -> FailureKernel.reverse(reverse, values, shape));
      world.run("launching", () -> FailureKernel.increment(increment, values));
      world.holds(values, a, 3, 2);
    }
  },
  COOPERATIVE {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceArray<int[]> values = world.upload(world.stream(), 1, 2, 3);
      LaunchRecorder together = world.recorder(a, FailureKernel.IMAGE, FailureKernel.TOGETHER);
      world.run("launching", () -> FailureKernel.increment(together, values));
      world.holds(values, a, 2, 3, 4);
    }
  },
  COMPLETIONS {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      LaunchRecorder add = world.recorder(a, FailureKernel.IMAGE, FailureKernel.ADD);
      DeviceArray<int[]> values = world.upload(b, 1, 2);
      DeviceArray<int[]> sum = world.allocate(a, 2);
      DeviceArray<int[]> next = world.allocate(a, 2);
      // A launch whose completion cannot be told is repeated, which this kernel allows.
      Completion first =
          world.op("launching", () -> FailureKernel.completionOfAdd(add, values, values, sum));
      Completion second =
          world.op("launching", () -> FailureKernel.completionOfAdd(add, values, sum, next));
      world.op("asking", first::isDone);
      world.run("awaiting", second::await);
      assertThat(world.op("asking", first::isDone)).isTrue();
      world.run("awaiting", first::await);
      world.run("filling", () -> values.fill(b, 7));
      world.holds(sum, b, 2, 4);
      world.holds(next, b, 3, 6);
      world.holds(values, a, 7, 7);
    }
  },
  REINTERPRETED {
    @Override
    RuntimeOptions options() {
      return super.options().withGuardMemory(true);
    }

    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      DeviceArray<int[]> numbers = world.upload(a, 1, 256);
      DeviceArray<byte[]> bytes =
          world.make("reinterpreting", () -> numbers.reinterpret(byte[].class));
      assertThat(world.op("downloading", () -> bytes.download(b)))
          .containsExactly(1, 0, 0, 0, 0, 1, 0, 0);
      world.run("filling", () -> bytes.fill(b, 1));
      DeviceArray<long[]> longs =
          world.make("reinterpreting", () -> bytes.reinterpret(long[].class));
      assertThat(world.op("downloading", () -> longs.download(a)))
          .containsExactly(0x0101010101010101L);
    }
  },
  PARTS {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      DeviceArray<int[]> values = world.upload(a, 1, 2, 3, 4);
      LaunchRecorder onA = world.recorder(a, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      LaunchRecorder onB = world.recorder(b, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      try (DeviceParts<int[]> halves = values.split(2)) {
        world.run("launching", () -> FailureKernel.increment(onA, halves.get(0)));
        world.run("launching", () -> FailureKernel.increment(onB, halves.get(1)));
        world.run("filling", () -> halves.get(1).view(1, 1).fill(a, 9));
      }
      world.run("launching", () -> FailureKernel.increment(onA, values));
      world.run("copying", () -> values.copyFrom(b, 0, values, 2, 1));
      world.holds(values, b, 5, 4, 5, 10);
      DeviceParts<int[]> rest = values.split(1);
      world.run("launching", () -> FailureKernel.increment(onB, rest.get(1)));
      world.run("closing", values::close);
    }
  },
  PINNED {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      DeviceArray<int[]> values = world.allocate(a, 3);
      PinnedArray<int[]> host =
          world.op("allocating", () -> world.gpu.memory().pinned(int[].class, 3));
      LaunchRecorder increment = world.recorder(b, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      world.run("writing", () -> host.put(0, new int[] {1, 2, 3}));
      world.run("uploading", () -> values.upload(a, host));
      world.run("launching", () -> FailureKernel.increment(increment, values));
      world.run("downloading", () -> values.download(a, host));
      assertThat(world.op("reading", () -> host.get(0, 3))).containsExactly(2, 3, 4);
      world.run("writing", () -> host.put(1, new int[] {7}));
      world.run("uploading", () -> values.upload(b, 0, host, 1, 2));
      world.holds(values, a, 7, 4, 4);
      world.run("closing", host::close);
    }
  },
  TABLES {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      DeviceArray<int[]> first = world.upload(a, 1, 2);
      DeviceArray<int[]> second = world.upload(b, 3, 4);
      LaunchRecorder onA = world.recorder(a, FailureKernel.IMAGE, FailureKernel.BUMP);
      LaunchRecorder onB = world.recorder(b, FailureKernel.IMAGE, FailureKernel.BUMP);
      world.run("launching", () -> FailureKernel.bump(onA, List.of(first, second), 2));
      world.run("launching", () -> FailureKernel.bump(onB, List.of(second, first), 1));
      world.run("launching", () -> FailureKernel.bump(onA, List.of(first, second), 2));
      world.run("launching", () -> FailureKernel.bump(onA, List.of(second), 1));
      world.holds(first, b, 4, 4);
      world.holds(second, a, 7, 6);
      DeviceArray<int[]> wide =
          world.make("allocating", () -> a.runtime().memory().allocateZeroed(a, int[].class, 600));
      List<DeviceArray<int[]>> views =
          IntStream.range(0, 600).mapToObj(i -> wide.view(i, 1)).toList();
      world.run("launching", () -> FailureKernel.bump(onA, views, 1));
      assertThat(world.op("downloading", () -> wide.download(b))).containsOnly(1);
    }
  },
  MAPPED {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      LaunchRecorder increment = world.recorder(a, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      DeviceArray<int[]> values = world.upload(b, 1, 2, 3);
      PinnedArray<int[]> host =
          world.op("allocating", () -> world.gpu.memory().pinned(int[].class, 3));
      world.run("writing", () -> host.put(0, new int[] {4, 5, 6}));
      DeviceArray<int[]> mapped = world.op("mapping", host::mapped);
      world.run("launching", () -> FailureKernel.increment(increment, mapped));
      assertThat(world.op("reading", () -> host.get(0, 3))).containsExactly(5, 6, 7);
      world.run("copying", () -> values.copyFrom(b, mapped));
      world.run("filling", () -> mapped.fill(a, 9));
      world.run("downloading", () -> values.download(b, 1, host, 0, 2));
      assertThat(world.op("reading", () -> host.get(0, 3))).containsExactly(6, 7, 9);
      world.run("launching", () -> FailureKernel.increment(increment, mapped));
      world.run("closing", host::close);
      assertThat(mapped.isOpen()).isFalse();
    }
  },
  CLOSED_WITH_COPIES_UNDER_WAY {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceArray<int[]> values = world.upload(a, 1, 2, 3);
      PinnedArray<int[]> host =
          world.op("allocating", () -> world.gpu.memory().pinned(int[].class, 3));
      world.run("downloading", () -> values.download(a, host));
      world.op("downloading", () -> values.downloadLater(a));
    }
  },
  DOWNLOADED_LATER {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      DeviceArray<int[]> values = world.upload(a, 1, 2, 3);
      Download<int[]> first = world.op("downloading", () -> values.downloadLater(b));
      world.run("filling", () -> values.fill(a, 9));
      Download<int[]> second = world.op("downloading", () -> values.downloadLater(a, 1, 2));
      world.op("downloading", () -> values.downloadLater(a));
      assertThat(world.op("waiting", second::value)).containsExactly(9, 9);
      assertThat(world.op("waiting", first::value)).containsExactly(1, 2, 3);
      int[] target = new int[2];
      Download<int[]> third =
          world.op("downloading", () -> values.downloadLater(b, 0, target, 1, 1));
      assertThat(world.op("waiting", third::value)).containsExactly(0, 9);
    }
  },
  PART_OF_THE_BUDGET {
    @Override
    RuntimeOptions options() {
      return super.options().withMemoryBudget(MemoryBudget.ofBytes(64));
    }

    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      DeviceMemory part = world.gpu.memory().within(32);
      DeviceArray<int[]> large = world.make("allocating", () -> part.allocate(a, int[].class, 8));
      world.refused("too much", () -> part.allocate(a, int[].class, 1));
      world.run("filling", () -> large.fill(b, 1));
      world.run("closing", large::close);
      DeviceArray<int[]> next =
          world.make("uploading", () -> part.upload(b, new int[] {1, 2, 3, 4}));
      DeviceArray<int[]> beside = world.upload(a, 5, 6);
      world.holds(next, a, 1, 2, 3, 4);
      world.holds(beside, b, 5, 6);
      assertThat(part.statistics().liveBytes()).isEqualTo(16);
    }
  },
  SPILLED_TO_HOST_AND_DISK {
    @Override
    RuntimeOptions options() {
      return super.options()
          .withMemoryBudget(MemoryBudget.ofBytes(64))
          .withSpillMemoryInBytes(32)
          .withSpillFolder(Path.of(System.getProperty("java.io.tmpdir")));
    }

    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      SpillableArray<int[]> first = world.spillable(a, 1, 2, 3, 4, 5, 6, 7, 8);
      SpillableArray<int[]> second = world.spillable(b, 9, 8, 7, 6, 5, 4, 3, 2);
      DeviceArray<int[]> all = world.allocate(b, 16);
      world.run("filling", () -> all.fill(a, 5));
      world.run("closing", all::close);
      world.holds(first, b, 1, 2, 3, 4, 5, 6, 7, 8);
      world.holds(second, a, 9, 8, 7, 6, 5, 4, 3, 2);
      world.run("spilling", () -> world.gpu.memory().spill(b, 1));
      world.holds(first, a, 1, 2, 3, 4, 5, 6, 7, 8);
    }
  },
  TASK {
    @Override
    RuntimeOptions options() {
      return super.options().withMemoryBudget(MemoryBudget.ofBytes(48));
    }

    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      List<Integer> sums =
          world.op(
              "retrying",
              () ->
                  Retry.with(
                      world.gpu.memory(),
                      new RowRange(1, 8),
                      rows -> {
                        int[] values = new int[(int) rows.count()];
                        Arrays.setAll(values, i -> (int) rows.from() + i);
                        try (DeviceArray<int[]> first = world.gpu.memory().upload(a, values)) {
                          world.arrays.add(first); // closed again if that fails
                          try (DeviceArray<int[]> second = first.copy(a)) {
                            world.arrays.add(second);
                            return Arrays.stream(second.download(a)).sum();
                          }
                        }
                      }));
      assertThat(sums).hasSizeGreaterThan(1);
      assertThat(sums.stream().mapToInt(sum -> sum).sum()).isEqualTo(36);
      assertThat(world.gpu.memory().pressure().tasks()).isZero();
    }
  },
  TWO_THREADS {
    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      LaunchRecorder mine = world.recorder(a, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      LaunchRecorder theirs = world.recorder(b, FailureKernel.IMAGE, FailureKernel.INCREMENT);
      DeviceArray<int[]> values = world.upload(a, 1, 2);
      world.elsewhere("launching", () -> FailureKernel.increment(theirs, values));
      world.run("launching", () -> FailureKernel.increment(mine, values));
      world.elsewhere("launching", () -> FailureKernel.increment(mine, values));
      DeviceArray<int[]> copy = world.make("copying", () -> values.copy(b));
      world.elsewhere("closing", values::close);
      world.holds(copy, a, 4, 5);
    }
  },
  CLOSED_WHILE_BUSY {
    @Override
    boolean closesArrays() {
      return false;
    }

    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceStream b = world.stream();
      DeviceArray<int[]> values = world.upload(a, 1, 2);
      DeviceArray<int[]> other = world.upload(b, 3, 4);
      LaunchRecorder add = world.recorder(b, FailureKernel.IMAGE, FailureKernel.ADD);
      DeviceArray<int[]> sum = world.allocate(a, 2);
      world.run("launching", () -> FailureKernel.add(add, values, other, sum));
      world.run("uploading", () -> values.upload(a, new int[] {5, 6}));
    }
  },
  CLOSED_WHILE_BUSY_AND_GUARDED {
    @Override
    RuntimeOptions options() {
      return super.options().withGuardMemory(true);
    }

    @Override
    boolean closesArrays() {
      return false;
    }

    @Override
    void run(FailureWorld world) {
      DeviceStream a = world.stream();
      DeviceArray<int[]> values = world.upload(a, 1, 2);
      DeviceArray<int[]> closed = world.upload(world.stream(), 3, 4);
      world.run("copying", () -> values.copyFrom(a, closed));
      world.run("closing", closed::close);
    }
  };

  /** The options of the scenario's runtime. */
  RuntimeOptions options() {
    return RuntimeOptions.defaults().withStreams(3);
  }

  /** The device's memory. */
  long memoryInBytes() {
    return 16 << 20;
  }

  /** How many devices the machine has. */
  int devices() {
    return 1;
  }

  /** The devices; driver calls of the first one fail. */
  final List<SimulatedDevice> machine() {
    return SimulatedDevice.builder()
        .schedule(Schedule.LAZY)
        .memoryInBytes(memoryInBytes())
        .build(devices());
  }

  /** Whether arrays are closed before the runtime. */
  boolean closesArrays() {
    return true;
  }

  abstract void run(FailureWorld world);

  private static void memory(FailureWorld world) {
    DeviceStream a = world.stream();
    DeviceStream b = world.stream();
    DeviceArray<int[]> values = world.upload(a, 1, 2, 3, 4);
    DeviceArray<int[]> copy = world.make("copying", () -> values.copy(b));
    world.run("closing", values::close);
    DeviceArray<int[]> next = world.allocate(a, 4);
    world.run("filling", () -> next.fill(a, 5));
    world.holds(copy, a, 1, 2, 3, 4);
    world.holds(next, b, 5, 5, 5, 5);
  }

  private static void shortOfMemory(FailureWorld world) {
    DeviceStream a = world.stream();
    DeviceStream b = world.stream();
    DeviceArray<int[]> large = world.allocate(a, 16);
    world.run("filling", () -> large.fill(b, 1));
    world.run("closing", large::close);
    DeviceArray<int[]> next = world.upload(b, 1, 2, 3, 4);
    world.refused("too much", () -> world.gpu.memory().allocate(a, int[].class, 13));
    world.holds(next, a, 1, 2, 3, 4);
  }
}
