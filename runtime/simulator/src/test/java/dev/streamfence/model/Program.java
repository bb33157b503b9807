package dev.streamfence.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The steps of some host threads, one list each, after a prelude that runs alone. Immutable once
 * built; a step is a few numbers, so that the model needs no objects.
 */
final class Program {
  static final int PREPARE = 0;
  static final int LAUNCH = 1;
  static final int COMMIT = 2;
  static final int ABANDON = 3;
  static final int CLOSE = 4;
  static final int SYNCHRONIZE = 5;

  /** The length of a step in numbers: its kind and its operands. */
  static final int STEP_SIZE = 5;

  /** As many launches have an event of their own after the stream was last asked for one. */
  private static final int SEPARATED = 32;

  /** No wait of a preflight fails. */
  static final int NEVER = -1;

  final String name;
  final int ring;
  final int separated;
  final boolean fine;
  final boolean finest;
  final int preemptions;
  final int[][] preludes;
  final int[][] threads;

  private Program(Builder builder) {
    this.name = builder.name;
    this.ring = builder.ring;
    this.separated = builder.separated;
    this.fine = builder.fine;
    this.finest = builder.finest;
    this.preemptions = builder.preemptions;
    this.preludes = builder.preludes.toArray(int[][]::new);
    this.threads = builder.threads.toArray(int[][]::new);
  }

  static Builder named(String name) {
    return new Builder(name);
  }

  /** The steps of one thread. */
  static Steps steps() {
    return new Steps();
  }

  /** The same on rings of a size, and other threads get in wherever the code shares something. */
  Program finest(int slots) {
    Builder builder = new Builder(name).ring(slots).finest();
    builder.preludes.addAll(List.of(preludes));
    builder.threads.addAll(List.of(threads));
    builder.separated = Math.max(SEPARATED, slots);
    return builder.build();
  }

  @Override
  public String toString() {
    return name
        + (fine ? ", every driver call a step" : "")
        + ", ring of "
        + ring
        + (separated == 0 ? ", few events" : "");
  }

  /** Puts a program together. */
  static final class Builder {
    private final String name;
    private int ring = 2;
    private int separated = SEPARATED;
    private boolean fine;
    private boolean finest;
    private int preemptions = Integer.MAX_VALUE;
    private final List<int[]> preludes = new ArrayList<>();
    private final List<int[]> threads = new ArrayList<>();

    private Builder(String name) {
      this.name = name;
    }

    /** How many events a stream has. */
    Builder ring(int slots) {
      ring = slots;
      return this;
    }

    /** Gives a launch an event of its own only where the spacing to the last event is reached. */
    Builder fewEvents() {
      separated = 0;
      return this;
    }

    /**
     * Lets other threads in between looking for an event, each driver call, and its book-keeping.
     */
    Builder fine() {
      fine = true;
      return this;
    }

    /** Lets them in wherever the code reads or writes what threads share. */
    private Builder finest() {
      fine = true;
      finest = true;
      return this;
    }

    /** Limits how often a thread that could continue is interrupted. */
    Builder preemptions(int most) {
      preemptions = most;
      return this;
    }

    /** Runs before the threads start, alone. */
    Builder prelude(Steps steps) {
      preludes.add(steps.encoded());
      return this;
    }

    Builder thread(Steps steps) {
      threads.add(steps.encoded());
      return this;
    }

    Program build() {
      return new Program(this);
    }
  }

  /** The steps of one thread, in order; masks name allocations by their bits. */
  static final class Steps {
    private final List<int[]> steps = new ArrayList<>();

    Steps prepare(int stream, int reads, int writes) {
      return add(PREPARE, stream, reads, writes, NEVER);
    }

    /** A preflight whose wait number {@code failing}, from 0, cannot be queued. */
    Steps prepareFailing(int stream, int reads, int writes, int failing) {
      return add(PREPARE, stream, reads, writes, failing);
    }

    Steps launch(int stream) {
      return add(LAUNCH, stream, 0, 0, NEVER);
    }

    Steps commit(int stream) {
      return add(COMMIT, stream, 0, 0, NEVER);
    }

    Steps abandon(int stream) {
      return add(ABANDON, stream, 0, 0, NEVER);
    }

    Steps close(int allocation) {
      return add(CLOSE, allocation, 0, 0, NEVER);
    }

    Steps synchronize(int stream) {
      return add(SYNCHRONIZE, stream, 0, 0, NEVER);
    }

    /** A whole launch. */
    Steps run(int stream, int reads, int writes) {
      return prepare(stream, reads, writes).launch(stream).commit(stream);
    }

    Steps then(Steps others) {
      steps.addAll(others.steps);
      return this;
    }

    private Steps add(int... step) {
      steps.add(step);
      return this;
    }

    private int[] encoded() {
      return steps.stream().flatMapToInt(Arrays::stream).toArray();
    }
  }
}
