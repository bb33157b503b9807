package dev.streamfence.internal.order;

/** What a test puts on a stream itself, by its name. */
public record NamedUse(String purpose) implements UseLabels {
  @Override
  public String use(int label) {
    return purpose;
  }
}
