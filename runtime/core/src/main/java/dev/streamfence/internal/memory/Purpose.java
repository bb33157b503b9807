package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.WorkFacts;
import dev.streamfence.trace.WorkKind;

/** How errors and observers name the work that allocates, guards, checks or frees. Immutable. */
record Purpose(Act act, long bytes, String tag, Timeline timeline) implements UseLabels {
  /** What is done with the memory. */
  enum Act {
    ADOPT("adopting", "adoption", WorkKind.OTHER),
    ALLOCATE("allocating", "allocation", WorkKind.ALLOCATION),
    GUARD("guarding", "guard", WorkKind.FILL),
    CHECK("checking", "check", WorkKind.DOWNLOAD),
    FREE("freeing", "free", WorkKind.FREE);

    private final String inWords;
    private final String work;
    private final WorkKind kind;

    Act(String inWords, String work, WorkKind kind) {
      this.inWords = inWords;
      this.work = work;
      this.kind = kind;
    }
  }

  @Override
  public String purpose() {
    return act.inWords
        + " "
        + bytes
        + " bytes"
        + (tag.isEmpty() ? "" : " for '" + tag + "'")
        + " on "
        + timeline;
  }

  /** New memory is there when the graph runs, and memory that is freed is not the graph's. */
  @Override
  public InGraph inGraph() {
    return act == Act.ADOPT ? InGraph.REFUSED : InGraph.CARRIED_OUT;
  }

  @Override
  public WorkFacts facts() {
    return new WorkFacts(act.kind, act.work, bytes, tag);
  }
}
