package dev.streamfence.internal.recording;

import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a graph keeps until its end: the memory that its nodes use, the arrays that it closes, and
 * memory of its own. Confined to the thread that runs the body, and to the holder of the graph's
 * lock afterwards.
 */
public final class GraphMemory {
  /** The graph, for errors. */
  private final String name;

  /** How often it holds which memory. */
  private final Map<HazardState, Integer> held = new LinkedHashMap<>();

  private final ArgumentFrames frames;
  private final List<Consumer<Teardown>> owned = new ArrayList<>();
  private final List<Runnable> closes = new ArrayList<>();
  private final Set<Timeline> untracked = new LinkedHashSet<>();

  GraphMemory(String name, HostMemoryPool memory) {
    this.name = name;
    this.frames = new ArgumentFrames(memory);
  }

  /** Memory for the arguments of a launch. */
  HostMemory frame(long bytes) {
    return frames.take(bytes);
  }

  /** Adds an array that the graph closes at its end; closing it twice does nothing. */
  public void closeAtEnd(Runnable close) {
    closes.add(close);
  }

  /** Adds what the graph has until its end, and what nothing orders with its runs. */
  public void own(Consumer<Teardown> close) {
    owned.add(close);
  }

  /** Whether it has memory that is not freed in the order of streams, but at once. */
  public boolean ownsUnordered() {
    return !owned.isEmpty();
  }

  /** Says that runs come after what a stream was given without a ticket. */
  public void comeAfter(Timeline timeline) {
    untracked.add(timeline);
  }

  /** Whether streams may still use what it {@linkplain #own owns}, which could not be awaited. */
  public boolean isInUse() {
    return !untracked.isEmpty();
  }

  /** Waits for what streams were given without a ticket. */
  public void awaitUntracked() {
    for (Timeline timeline : untracked) {
      timeline.requireNotCapturing(() -> "the end of the code of " + name);
      timeline.pool().driver().synchronizeStream(timeline.stream());
    }
    untracked.clear();
  }

  /**
   * Keeps memory that is used, or that is to be bound.
   *
   * @throws dev.streamfence.UseAfterFreeException if it is closed
   */
  public void keep(HazardState used) {
    HazardState whole = used.outermost();
    whole.hold(name);
    held.merge(whole, 1, Integer::sum);
  }

  /** Takes one {@link #keep} back. */
  public void dismiss(HazardState kept) {
    HazardState whole = kept.outermost();
    held.computeIfPresent(whole, (same, times) -> times == 1 ? null : times - 1);
    endHold(whole);
  }

  private static void endHold(HazardState state) {
    Runnable free = state.endHold();
    if (free != null) {
      free.run();
    }
  }

  /**
   * Releases everything; no run uses what is {@link #ownsUnordered unordered}. That is kept while
   * it {@link #isInUse is in use} otherwise.
   *
   * @param isLost whether the device is lost, and has taken its memory along
   */
  public void release(Teardown teardown, boolean isLost) {
    if (isLost) {
      untracked.clear();
      owned.clear();
    }
    teardown.step(this::awaitUntracked);
    // Neither is forgotten: what the driver refuses is freed by the next call.
    closes.forEach(teardown::step);
    if (!isInUse()) {
      owned.forEach(close -> teardown.step(() -> close.accept(teardown)));
    }
    frames.release(teardown);
    held.forEach(
        (state, times) -> {
          for (int i = 0; i < times; i++) {
            teardown.step(() -> endHold(state));
          }
        });
    held.clear();
  }
}
