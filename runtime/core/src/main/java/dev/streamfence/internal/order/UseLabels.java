package dev.streamfence.internal.order;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.trace.WorkKind;
import org.jspecify.annotations.Nullable;

/**
 * How errors and observers name a submission and the allocations that it uses, and whether a graph
 * can have it. Called only after a failure, if an observer watches, or in the body of a graph.
 */
public interface UseLabels {
  /** What becomes of work that the body of a graph begins. */
  enum InGraph {
    /** It is refused. */
    REFUSED,
    /** It becomes nodes of the graph. */
    RECORDED,
    /** It is carried out at once, and is not part of the graph. */
    CARRIED_OUT
  }

  /** Labels of work that the body of a graph may begin, and that is no part of the graph. */
  static UseLabels carriedOutInGraphs(String purpose) {
    return new UseLabels() {
      @Override
      public String purpose() {
        return purpose;
      }

      @Override
      public InGraph inGraph() {
        return InGraph.CARRIED_OUT;
      }
    };
  }

  /** The submitted work, such as {@code saxpy on stream 2}. */
  String purpose();

  /** The submitted work as a refused use. */
  default AttemptedUse work() {
    return AttemptedUse.of(purpose());
  }

  /**
   * The role of the allocation that was registered with {@code label}, such as {@code saxpy:
   * parameter 'x'}.
   */
  default AttemptedUse use(int label) {
    return work();
  }

  /**
   * How another device, whose memory the work uses, names the work.
   *
   * @param device the one of the work
   */
  default UseLabels forPeers(int device) {
    return new PeerLabels(this, device);
  }

  /** What becomes of the work in the body of a graph. */
  default InGraph inGraph() {
    return InGraph.REFUSED;
  }

  /** The primitive type of the value that the work fills with; null if it fills with none. */
  default @Nullable Class<?> filled() {
    return null;
  }

  /** What the work is, when it is put on its stream. */
  default WorkFacts facts() {
    return new WorkFacts(WorkKind.OTHER, purpose(), 0, "");
  }
}
