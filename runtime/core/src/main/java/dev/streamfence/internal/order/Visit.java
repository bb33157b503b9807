package dev.streamfence.internal.order;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One thread inside a runtime: it carries out an operation, or has a launch open. A thread has at
 * most one visit to a runtime; an operation within another one belongs to the same visit.
 *
 * <p>The thread that claims and leaves the visit writes {@code owner}, and any thread reads it; the
 * other fields belong to the owner. The closing thread also reads {@code submitting} (racy, benign:
 * it looks again), and ends the visit of a thread that will not end it.
 */
final class Visit {
  private static final AtomicReferenceFieldUpdater<Visit, Thread> OWNER =
      AtomicReferenceFieldUpdater.newUpdater(Visit.class, Thread.class, "owner");

  private volatile @Nullable Thread owner;
  private int depth;
  private boolean patient = true;
  private @Nullable Timeline submitting;
  private int accesses;

  /** The graph whose body the thread runs; null outside of one. */
  private @Nullable GraphRecording recording;

  /** Calls of other code, which wait for the end of the visit. */
  private List<Runnable> callsAfterwards = List.of();

  /** Keeps the visits of two threads in separate cache lines: each launch writes to its own. */
  @SuppressWarnings({"unused", "UnusedVariable"})
  private long pad1, pad2, pad3, pad4, pad5, pad6, pad7, pad8;

  /** Claims the visit for a thread, unless another thread has it. */
  boolean claim(Thread thread) {
    if (owner != null || !OWNER.compareAndSet(this, null, thread)) {
      return false;
    }
    depth = 1;
    return true;
  }

  /** The thread that visits; null when the visit is free. */
  @Nullable Thread owner() {
    return owner;
  }

  void deepen() {
    depth++;
  }

  /**
   * Leaves the innermost operation.
   *
   * @return whether that was also the outermost one, which ends the visit
   */
  boolean leave() {
    if (--depth > 0) {
      return false;
    }
    end();
    return true;
  }

  /** Ends the visit, however deep it is. */
  void end() {
    // Comparisons are cheaper than storing references.
    if (!callsAfterwards.isEmpty()) {
      callsAfterwards = List.of();
    }
    if (submitting != null) {
      submitting = null;
    }
    if (recording != null) {
      recording = null;
    }
    depth = 0;
    patient = true;
    accesses = 0;
    OWNER.lazySet(this, null);
  }

  /** The stream whose submission the thread has open; null if it has none. */
  @Nullable Timeline submitting() {
    return submitting;
  }

  void setSubmitting(@Nullable Timeline timeline) {
    submitting = timeline;
  }

  /** The graph whose body the thread runs; null outside of one. */
  @Nullable GraphRecording recording() {
    return recording;
  }

  void setRecording(@Nullable GraphRecording graph) {
    recording = graph;
  }

  /** Adds a call of other code that the thread makes after the visit. */
  void callAfterwards(Runnable call) {
    if (callsAfterwards.isEmpty()) {
      callsAfterwards = new ArrayList<>();
    }
    callsAfterwards.add(call);
  }

  /** The calls of other code that wait for the end of the visit. */
  List<Runnable> callsAfterwards() {
    return callsAfterwards;
  }

  /** Forbids the thread to wait for another thread's submission. */
  void forbidWaiting() {
    patient = false;
  }

  /** Notes that an access to mapped host memory, for which launches wait, begins or ends. */
  void access(boolean begins) {
    accesses += begins ? 1 : -1;
  }

  /** Whether the thread is inside an access to mapped host memory. */
  boolean isAccessing() {
    return accesses > 0;
  }

  /** Whether other threads may wait for what the thread has begun. */
  boolean holdsUpOthers() {
    return submitting != null || accesses > 0;
  }

  /** Whether the thread may wait for another thread's submission. */
  boolean mayWait() {
    return patient && !holdsUpOthers();
  }
}
