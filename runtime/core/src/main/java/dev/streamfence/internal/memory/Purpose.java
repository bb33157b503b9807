package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;

/** How errors name the work that allocates, guards, checks or frees memory. Immutable. */
record Purpose(String act, long bytes, String tag, Timeline timeline) implements UseLabels {
  @Override
  public String purpose() {
    return act
        + " "
        + bytes
        + " bytes"
        + (tag.isEmpty() ? "" : " for '" + tag + "'")
        + " on "
        + timeline;
  }
}
