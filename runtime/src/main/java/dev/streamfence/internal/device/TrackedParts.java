package dev.streamfence.internal.device;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.order.HazardState;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link DeviceParts}. */
public final class TrackedParts<A> implements DeviceParts<A> {
  private final TrackedArray<A> whole;
  private final List<TrackedArray<A>> parts;

  /** The whole array's; null if it is empty. */
  private final @Nullable HazardState hazards;

  /** Those of the parts. */
  private final List<HazardState> states;

  private final ReentrantLock lock = new ReentrantLock();
  private boolean joined;

  TrackedParts(
      TrackedArray<A> whole,
      List<TrackedArray<A>> parts,
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
    if (!tryJoin()) {
      if (hazards != null) {
        hazards.requireUsable("a join");
      }
      throw new StreamMisuseException("the parts of " + whole + " are joined a second time");
    }
    return whole;
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
