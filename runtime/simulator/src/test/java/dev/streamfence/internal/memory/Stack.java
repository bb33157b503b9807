package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.order.StreamPool;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Resources in front of each other, and how they are closed in order. */
final class Stack {
  final List<GuardReport> reports = new CopyOnWriteArrayList<>();
  private final StreamPool streams;
  private final TrackedResource backend;
  private AllocationResource top;
  private GuardResource guard;

  Stack(StreamPool streams, TrackedResource backend) {
    this.streams = streams;
    this.backend = backend;
    this.top = backend;
  }

  void put(AllocationResource resource) {
    top = resource;
  }

  void guard(GuardResource resource) {
    guard = resource;
    top = resource;
  }

  AllocationResource top() {
    return top;
  }

  TrackedResource backend() {
    return backend;
  }

  GuardResource guard() {
    return guard;
  }

  /** Waits for the device, reaps until nothing comes, and returns how much came. */
  long settle() {
    if (streams.sticky().error() == null) {
      streams.synchronizeAll("settling");
    }
    return top.awaitReap(Long.MAX_VALUE);
  }

  /** Checks that every byte has come back, here and behind. */
  void requireEmpty() {
    settle();
    assertThat(top.bytesOutstanding()).isZero();
    assertThat(backend.bytesOutstanding()).isZero();
    assertThat(backend.live()).isEmpty();
    assertThat(top.account().snapshot().reserved()).isZero();
    assertThat(top.account().snapshot().promised()).isZero();
  }

  void close() {
    if (guard != null) {
      guard.close();
    }
  }
}
