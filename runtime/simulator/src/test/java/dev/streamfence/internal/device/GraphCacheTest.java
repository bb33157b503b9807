package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.graph.GraphBody;
import dev.streamfence.graph.GraphCache;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Graphs that are kept by a key. */
final class GraphCacheTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final VectorKernels kernels = VectorKernels.on(stream);
  private final GraphCache<Integer> cache = new GraphCache<>(gpu, "increment", 2);

  @AfterEach
  void nothingIsLeft() {
    cache.close();
    assertThat(device.calls(DriverCall.DESTROY_GRAPH))
        .isEqualTo(device.calls(DriverCall.CREATE_GRAPH));
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private DeviceArray<int[]> zeros(int length) {
    return gpu.memory().allocateZeroed(stream, int[].class, length);
  }

  /** A graph that increments an array of a length. */
  private void increment(int length, GraphBody body) {
    kernels.increment(body.input("array", body.scratch(stream, int[].class, length)), length);
  }

  private void launch(DeviceArray<int[]> array) {
    cache.launch(
        (int) array.length(), stream, this::increment, graph -> graph.bind("array", array));
  }

  @Test
  void eachKeyIsRecordedOnceAndLaunchedWithWhatIsBound() {
    List<DeviceArray<int[]>> arrays = List.of(zeros(8), zeros(8), zeros(16));
    for (int round = 0; round < 3; round++) {
      arrays.forEach(this::launch);
    }

    arrays.forEach(array -> assertThat(array.download(stream)).containsOnly(3));
    assertThat(cache.statistics()).isEqualTo(new GraphCache.Statistics(2, 0, 7, 0, 2));
  }

  @Test
  void theGraphThatWasNotUsedForLongestMakesRoom() {
    DeviceArray<int[]> eight = zeros(8);
    launch(eight);
    launch(zeros(16));
    launch(eight);
    launch(zeros(32));
    launch(eight);
    launch(zeros(16));

    assertThat(cache.statistics()).isEqualTo(new GraphCache.Statistics(4, 2, 2, 2, 2));
    assertThat(eight.download(stream)).containsOnly(3);
    assertThat(device.calls(DriverCall.INSTANTIATE_GRAPH)).isEqualTo(2);
  }

  @Test
  void aGraphIsClosedFirstWhereTwoDoNotFitIntoTheBudget() {
    RuntimeOptions tight = RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(1500));
    try (DeviceRuntime small = DeviceRuntime.simulated(SimulatedDevice.builder().build(), tight);
        GraphCache<Integer> one = new GraphCache<>(small, "one", 1)) {
      DeviceStream on = small.streams().defaultStream();
      for (int key : new int[] {1, 2, 1}) {
        one.launch(
            key,
            on,
            (value, body) -> body.scratch(on, byte[].class, 1000).fill(on, (long) value),
            graph -> {});
      }

      assertThat(one.statistics()).isEqualTo(new GraphCache.Statistics(3, 0, 0, 2, 1));
    }
  }

  @Test
  void aGraphThatCannotBeRecordedMakesNoRoomForNothing() {
    DeviceArray<int[]> eight = zeros(8);
    launch(eight);
    launch(zeros(16));
    assertThatThrownBy(
            () ->
                cache.launch(
                    32,
                    stream,
                    (key, body) -> {
                      throw new IllegalStateException("planned");
                    },
                    graph -> {}))
        .hasMessage("planned");

    assertThat(cache.statistics().graphs()).isEqualTo(1);
    launch(eight);
    launch(zeros(32));
    assertThat(eight.download(stream)).containsOnly(2);
  }

  @Test
  void threadsThatShareACacheGetTheirOwnAnswers() {
    List<DeviceArray<int[]>> arrays =
        IntStream.range(0, 6).mapToObj(i -> zeros(8 << i % 3)).toList();
    CompletableFuture<?>[] threads =
        arrays.stream()
            .map(
                array ->
                    CompletableFuture.runAsync(
                        () -> {
                          for (int i = 0; i < 40; i++) {
                            launch(array);
                          }
                        }))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(threads).join();

    arrays.forEach(array -> assertThat(array.download(stream)).containsOnly(40));
    GraphCache.Statistics counts = cache.statistics();
    assertThat(counts.evictions()).isEqualTo(counts.recordings() - counts.graphs());
  }

  @Test
  void aGraphThatCannotBeRecordedIsTriedAgain() {
    DeviceArray<int[]> array = zeros(8);
    assertThatThrownBy(
            () ->
                cache.launch(
                    8,
                    stream,
                    (key, body) -> {
                      throw new IllegalStateException("planned");
                    },
                    graph -> {}))
        .hasMessage("planned");
    assertThat(cache.statistics()).isEqualTo(new GraphCache.Statistics(0, 0, 0, 0, 0));

    launch(array);

    assertThat(array.download(stream)).containsOnly(1);
    assertThat(cache.statistics().recordings()).isOne();
  }

  @Test
  void aLaunchFromTheCacheInsideOfALaunchIsRefused() {
    DeviceArray<int[]> array = zeros(8);
    try (LaunchRecorder open = VectorKernels.incrementOn(stream).begin()) {
      assertThatThrownBy(() -> launch(array)).isInstanceOf(StreamMisuseException.class);
      open.abort();
    }

    launch(array);

    assertThat(array.download(stream)).containsOnly(1);
  }

  @Test
  void aLaunchFromTheCacheInsideOfItsOwnCodeIsRefused() {
    DeviceArray<int[]> eight = zeros(8);
    DeviceArray<int[]> sixteen = zeros(16);
    assertThatThrownBy(
            () ->
                cache.launch(
                    8,
                    stream,
                    this::increment,
                    graph -> {
                      launch(sixteen);
                      graph.bind("array", eight);
                    }))
        .isInstanceOf(StreamMisuseException.class)
        .hasMessageContaining("a launch of the cache of graphs 'increment' inside of a launch");
    assertThatThrownBy(() -> cache.launch(8, stream, this::increment, graph -> cache.close()))
        .isInstanceOf(StreamMisuseException.class)
        .hasMessageContaining("the close of the cache");

    launch(eight);

    assertThat(eight.download(stream)).containsOnly(1);
    assertThat(sixteen.download(stream)).containsOnly(0);
  }

  @Test
  void sizeClassesArePowersOfTwo() {
    assertThat(LongStream.of(0, 1, 2, 3, 256, 257, 513, 65_537).map(GraphCache::sizeClass))
        .containsExactly(1L, 1L, 2L, 4L, 256L, 512L, 1024L, 131_072L);
    assertThatIllegalArgumentException().isThrownBy(() -> GraphCache.sizeClass(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> new GraphCache<Integer>(gpu, "none", 0));
  }
}
