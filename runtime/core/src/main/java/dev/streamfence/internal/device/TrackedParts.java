package dev.streamfence.internal.device;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.host.ElementRange;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.HazardState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link DeviceParts}. */
public final class TrackedParts<A> implements DeviceParts<A> {
  private final WritableArray<A> whole;
  private final List<WritableArray<A>> parts;

  /** The whole array's; null if it is empty. */
  private final @Nullable HazardState hazards;

  /** Those of the parts. */
  private final List<HazardState> states;

  private final ReentrantLock lock = new ReentrantLock();
  private boolean joined;

  /**
   * Splits an array.
   *
   * @param at where each part but the first begins
   * @throws IllegalArgumentException if the positions do not rise from 0 to the length
   * @throws StreamMisuseException if it is split already
   */
  static <A> TrackedParts<A> of(WritableArray<A> whole, long[] at) {
    long[] bounds = bounds(whole, at);
    Region memory = whole.region();
    List<HazardState> states =
        memory == null ? List.of() : memory.hazards().split(inWords(whole, bounds));
    List<WritableArray<A>> parts = new ArrayList<>(bounds.length - 1);
    for (int i = 0; i + 1 < bounds.length; i++) {
      parts.add(
          whole.part(bounds[i], bounds[i + 1] - bounds[i], memory == null ? null : states.get(i)));
    }
    return new TrackedParts<>(whole, parts, memory == null ? null : memory.hazards(), states);
  }

  /** The ends of the parts, from 0 to the length. */
  private static long[] bounds(WritableArray<?> whole, long[] at) {
    long[] bounds = new long[at.length + 2];
    System.arraycopy(at, 0, bounds, 1, at.length);
    bounds[at.length + 1] = whole.length();
    for (int i = 1; i < bounds.length; i++) {
      if (bounds[i] < bounds[i - 1]) {
        throw new IllegalArgumentException(
            "a split of "
                + whole
                + " at "
                + Arrays.toString(at)
                + "; the positions lie between 0 and "
                + whole.length()
                + " in rising order");
      }
    }
    return bounds;
  }

  private static List<String> inWords(WritableArray<?> whole, long[] bounds) {
    List<String> parts = new ArrayList<>(bounds.length - 1);
    for (int i = 0; i + 1 < bounds.length; i++) {
      parts.add(
          "part "
              + i
              + " ("
              + ElementRange.inWords(bounds[i], bounds[i + 1] - bounds[i])
              + ") of "
              + whole);
    }
    return parts;
  }

  private TrackedParts(
      WritableArray<A> whole,
      List<WritableArray<A>> parts,
      @Nullable HazardState hazards,
      List<HazardState> states) {
    this.whole = whole;
    this.parts = parts;
    this.hazards = hazards;
    this.states = states;
  }

  @Override
  public int count() {
    return parts.size();
  }

  @Override
  public DeviceArray<A> get(int index) {
    if (index < 0 || index >= parts.size()) {
      throw new IllegalArgumentException(
          "part " + index + " of " + whole + ", which is split into " + parts.size() + " parts");
    }
    return parts.get(index);
  }

  @Override
  public DeviceArray<A> join() {
    // Before the hazard state is asked: the close of the runtime closes the array, too.
    whole.runtime().life().enter();
    try {
      if (!tryJoin()) {
        if (hazards != null) {
          hazards.requireUsable("a join");
        }
        throw new StreamMisuseException(
            StreamMisuseException.Misuse.WRONG_STEP,
            "the parts of " + whole + " are joined a second time");
      }
      return whole;
    } finally {
      whole.runtime().life().leave();
    }
  }

  @Override
  public void close() {
    tryJoin();
  }

  /** Whether they were apart until now. If a part is split itself, nothing changes. */
  private boolean tryJoin() {
    lock.lock();
    try {
      if (joined) {
        return false;
      }
      boolean wereApart = hazards == null || hazards.join(states);
      joined = true;
      return wereApart;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return parts.size() + " parts of " + whole;
  }
}
