package dev.streamfence.internal.device;

import dev.streamfence.DeviceStream;
import dev.streamfence.memory.SpillableArray.Place;

/**
 * The elements of an array that has left the device. Used by one thread at a time.
 *
 * @param <A> the Java array type
 */
sealed interface SpilledCopy<A> permits HostCopy, FileCopy {
  Place place();

  /** Queues the copy back; the copy stays. */
  void readTo(WritableArray<A> target, DeviceStream stream);

  /** Whether no copy is under way, so that {@link #discard} does not wait. */
  boolean isIdle();

  /**
   * Gives up the memory or the file. May wait for copies that are under way. If it fails, another
   * call gives up what is left.
   */
  void discard();
}
