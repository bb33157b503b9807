package dev.streamfence.memory;

import dev.streamfence.stream.Timeline;
import dev.streamfence.stream.UseLabels;

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

  @Override
  public String use(int label) {
    return purpose();
  }
}
