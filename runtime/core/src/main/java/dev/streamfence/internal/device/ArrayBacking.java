package dev.streamfence.internal.device;

import dev.streamfence.internal.device.OpenArrays.Lifetime;
import dev.streamfence.internal.memory.AdoptedMemory.Adoption;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.Region;
import org.jspecify.annotations.Nullable;

/** What an array lies on: whose memory that is, and what ends with the array. Immutable. */
sealed interface ArrayBacking {
  /** The memory; null if the array is empty. */
  @Nullable Region region();

  /** The lifetime of an array that is created on it. */
  Lifetime watch(OpenArrays arrays, TrackedArray<?> array);

  /** What a view or part of an array on it keeps reachable: what has the memory. */
  default Object keeper(TrackedArray<?> array) {
    return array;
  }

  /** Whether the close of the array ends its lifetime, and another array can take it over. */
  default boolean isOwner() {
    return false;
  }

  /** Why an array on it cannot be split; empty if it can. */
  default String whyNotSplit() {
    return "";
  }

  /** Memory of the runtime that the array alone has; without an allocation if it is empty. */
  record Owned(@Nullable Allocation allocation, @Nullable Region region) implements ArrayBacking {
    static Owned of(@Nullable Allocation allocation) {
      return new Owned(allocation, allocation == null ? null : Region.of(allocation));
    }

    @Override
    public Lifetime watch(OpenArrays arrays, TrackedArray<?> array) {
      return arrays.watch(array, allocation);
    }

    @Override
    public boolean isOwner() {
      return true;
    }
  }

  /** Memory that other code owns, or a window of the runtime's memory that other code handed in. */
  record Adopted(Adoption adoption) implements ArrayBacking {
    private boolean isWindow() {
      return region().allocation() != adoption.lease();
    }

    @Override
    public Region region() {
      return adoption.region();
    }

    @Override
    public Lifetime watch(OpenArrays arrays, TrackedArray<?> array) {
      return arrays.watch(array, adoption.lease(), isWindow());
    }

    @Override
    public boolean isOwner() {
      return true;
    }

    @Override
    public String whyNotSplit() {
      return isWindow() ? View.WHY_NOT_SPLIT : "";
    }
  }

  /** A variable of a module, which owns the memory. */
  record Variable(Region region) implements ArrayBacking {
    @Override
    public Lifetime watch(OpenArrays arrays, TrackedArray<?> array) {
      return arrays.watch(array, null);
    }

    @Override
    public String whyNotSplit() {
      return "a variable of a module and cannot be split; use views";
    }
  }

  /** What the device reaches of a pinned array. */
  record Mapped(TrackedPinnedArray<?> host, @Nullable Region region) implements ArrayBacking {
    @Override
    public Lifetime watch(OpenArrays arrays, TrackedArray<?> array) {
      return arrays.watch(array, null);
    }

    @Override
    public Object keeper(TrackedArray<?> array) {
      return host;
    }

    @Override
    public String whyNotSplit() {
      return View.WHY_NOT_SPLIT;
    }
  }

  /** Some elements of another array, ordered with it. */
  record View(@Nullable Region region, Object keeper, Lifetime lifetime) implements ArrayBacking {
    private static final String WHY_NOT_SPLIT = "a view and cannot be split; split the array";

    @Override
    public Lifetime watch(OpenArrays arrays, TrackedArray<?> array) {
      return lifetime;
    }

    @Override
    public Object keeper(TrackedArray<?> array) {
      return keeper;
    }

    @Override
    public String whyNotSplit() {
      return WHY_NOT_SPLIT;
    }
  }

  /** Some elements of a split array, with an order of their own. */
  record Part(@Nullable Region region, Object keeper, Lifetime lifetime) implements ArrayBacking {
    @Override
    public Lifetime watch(OpenArrays arrays, TrackedArray<?> array) {
      return lifetime;
    }

    @Override
    public Object keeper(TrackedArray<?> array) {
      return keeper;
    }
  }
}
