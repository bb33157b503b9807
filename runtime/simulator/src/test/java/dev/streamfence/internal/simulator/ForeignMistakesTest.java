package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RacyAccessException;
import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Mistakes beside other code are found on every schedule, even if nobody waits for its work: at the
 * latest when the runtime is synchronised or closed.
 */
final class ForeignMistakesTest {
  private static final int N = 4;
  private static final int SEEDS = 3;

  /** A program with one mistake, which the runtime can not prevent. */
  private enum Mistake {
    /** The memory is adopted as ready, while its producer is queued. */
    ADOPTS_TOO_EARLY(Kind.WRITE_READ, Kind.WRITE_WRITE) {
      @Override
      void make(Scene scene) {
        scene.write("produce", scene.theirs, scene.address);
        DeviceArray<int[]> array = scene.adopt(scene.memory().alreadyReady());
        array.fill(scene.ours, 1);
        scene.ours.synchronize();
      }
    },

    /** The code of a submitted call launches on another stream. */
    LAUNCHES_ELSEWHERE(Kind.WRITE_READ, Kind.FREE_WHILE_IN_USE) {
      @Override
      void make(Scene scene) {
        DeviceArray<int[]> array = scene.gpu.memory().upload(scene.ours, new int[N]);
        scene.ours.synchronize();
        scene.ours.submit(
            "set",
            uses -> uses.writes(array),
            call -> scene.write("set", scene.theirs, call.address(array)));
        assertThat(array.download(scene.ours)).hasSize(N);
        array.close();
      }
    },

    /** The owner writes again after it has handed the memory over. */
    OWNER_WRITES_AGAIN(Kind.READ_WRITE, Kind.WRITE_WRITE, Kind.WRITE_READ) {
      @Override
      void make(Scene scene) {
        DeviceArray<int[]> array = scene.adopt(scene.memory().readyAfterStream(scene.theirs));
        array.fill(scene.ours, 1);
        scene.write("produce again", scene.theirs, scene.address);
        scene.ours.synchronize();
      }
    },

    /** The owner frees the memory in the order of its stream, right after it handed it over. */
    OWNER_FREES_IN_STREAM_ORDER(Kind.FREE_WHILE_IN_USE, Kind.USE_AFTER_FREE) {
      @Override
      void make(Scene scene) {
        DeviceArray<int[]> array = scene.adopt(scene.memory().readyAfterStream(scene.theirs));
        array.fill(scene.ours, 1);
        scene.library.free(scene.address, scene.theirs);
        scene.ours.synchronize();
      }
    },

    /** The owner frees the memory at once, while its own work is queued. */
    OWNER_FREES_UNDER_ITS_WORK(Kind.FREE_WHILE_IN_USE, Kind.USE_AFTER_FREE) {
      @Override
      void make(Scene scene) {
        scene.write("produce", scene.theirs, scene.address);
        scene.library.free(scene.address);
      }
    },

    /** The owner's event was recorded before its last write. */
    EVENT_COMES_TOO_EARLY(Kind.WRITE_READ, Kind.WRITE_WRITE) {
      @Override
      void make(Scene scene) {
        long event = scene.library.createEvent();
        scene.library.recordEvent(event, scene.theirs);
        scene.write("produce", scene.theirs, scene.address);
        DeviceArray<int[]> array = scene.adopt(scene.memory().readyAfterEvent(event));
        array.fill(scene.ours, 1);
        scene.ours.synchronize();
      }
    },

    /** A release queues work on memory that it has given back. */
    RELEASE_USES_THE_MEMORY(Kind.FREE_WHILE_IN_USE, Kind.USE_AFTER_FREE) {
      @Override
      void make(Scene scene) {
        scene.adopt(
            scene
                .memory()
                .alreadyReady()
                .releasedBy(
                    () -> {
                      scene.write("recycle", scene.theirs, scene.address);
                      scene.library.free(scene.address);
                    }));
      }
    };

    private final Set<Kind> kinds;

    Mistake(Kind first, Kind... others) {
      kinds = EnumSet.of(first, others);
    }

    abstract void make(Scene scene);
  }

  /** A runtime, and a library beside it that owns a stream and some memory. */
  private static final class Scene {
    final SimulatedDevice device;
    final SimulatedLibrary library;
    final DeviceRuntime gpu;
    final DeviceStream ours;
    final long theirs;
    final long address;

    Scene(Schedule schedule, long seed) {
      device = SimulatedDevice.builder().schedule(schedule).seed(seed).build();
      library = device.library("torch");
      gpu = DeviceRuntime.simulated(device);
      ours = gpu.streams().acquire();
      theirs = library.createStream();
      address = library.allocate(N * Integer.BYTES);
    }

    ForeignMemory memory() {
      return ForeignMemory.at(address, N * Integer.BYTES);
    }

    DeviceArray<int[]> adopt(ForeignMemory memory) {
      return gpu.memory().adopt(ours, memory, int[].class);
    }

    void write(String kernel, long stream, long to) {
      library.launch(
          stream,
          kernel,
          memory -> {
            for (int i = 0; i < N; i++) {
              memory.putInt(to + 4 * i, 7);
            }
          });
    }
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(Schedule.values())
        .flatMap(
            schedule ->
                IntStream.range(0, schedule == Schedule.RANDOM ? SEEDS : 1)
                    .boxed()
                    .flatMap(
                        seed ->
                            Stream.of(Mistake.values())
                                .map(mistake -> Arguments.of(mistake, schedule, seed))));
  }

  private static void assertFound(Mistake mistake, RacyAccessException found) {
    assertThat(mistake.kinds).contains(found.kind());
    assertThat(found.finding().toString()).contains("library torch");
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void theCloseOfTheRuntimeThrowsItAtTheLatest(Mistake mistake, Schedule schedule, long seed) {
    Scene scene = new Scene(schedule, seed);
    assertThatThrownBy(
            () -> {
              try (DeviceRuntime closed = scene.gpu) {
                mistake.make(scene);
                assertThat(closed.isOpen()).isTrue();
              }
            })
        .isInstanceOfSatisfying(RacyAccessException.class, e -> assertFound(mistake, e));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void itIsAmongTheFindingsIfTheyAreCollected(Mistake mistake, Schedule schedule, long seed) {
    Scene scene = new Scene(schedule, seed);
    scene.device.collectFindings();
    mistake.make(scene);
    scene.gpu.close();
    assertThat(scene.device.findings())
        .extracting(Finding::kind)
        .isNotEmpty()
        .allMatch(mistake.kinds::contains);
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void synchronizingTheRuntimeThrowsItAtTheLatest(Mistake mistake, Schedule schedule, long seed) {
    if (mistake == Mistake.RELEASE_USES_THE_MEMORY) {
      return; // Made by the close.
    }
    Scene scene = new Scene(schedule, seed);
    assertThatThrownBy(
            () -> {
              mistake.make(scene);
              scene.gpu.synchronize();
            })
        .isInstanceOfSatisfying(RacyAccessException.class, e -> assertFound(mistake, e));
    scene.gpu.close();
  }
}
