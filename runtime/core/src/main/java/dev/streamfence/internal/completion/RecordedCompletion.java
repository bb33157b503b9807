package dev.streamfence.internal.completion;

import dev.streamfence.Completion;
import dev.streamfence.StreamMisuseException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The completion of work that became a node of a graph, which is done as often as the graph runs:
 * it answers nothing, and points to the completion of a run.
 */
public final class RecordedCompletion implements Completion {
  private final String purpose;

  /** Creates the completion of a node. */
  public RecordedCompletion(String purpose) {
    this.purpose = purpose;
  }

  @Override
  public boolean isDone() {
    throw refusal();
  }

  @Override
  public void await() {
    throw refusal();
  }

  @Override
  public boolean await(Duration timeout) {
    throw refusal();
  }

  @Override
  public CompletionStage<Void> stage() {
    throw refusal();
  }

  private StreamMisuseException refusal() {
    return new StreamMisuseException(
        StreamMisuseException.Misuse.INSIDE_GRAPH,
        purpose
            + " is a node of a graph and completes with each launch of it; use the completion of a"
            + " launch of the graph");
  }

  @Override
  public String toString() {
    return "completion of " + purpose;
  }
}
