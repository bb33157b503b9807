package dev.streamfence.model;

import static dev.streamfence.model.Program.steps;

import dev.streamfence.model.Program.Steps;
import java.util.ArrayList;
import java.util.List;

/**
 * The programs that the model explores. Allocations are bits: 1 is the first, 2 the second. Both
 * are allocated on stream 0 when a program starts, and nothing has waited for that yet.
 */
final class Corpus {
  /**
   * The uses of one launch: a mask of the allocations that it reads, and one of those that it
   * writes.
   */
  private enum Use {
    READ(1, 0),
    WRITE(0, 1),
    READ_FIRST_WRITE_SECOND(1, 2),
    READ_SECOND_WRITE_FIRST(2, 1),
    WRITE_BOTH(0, 3);

    private final int reads;
    private final int writes;

    Use(int reads, int writes) {
      this.reads = reads;
      this.writes = writes;
    }

    private Steps on(int stream) {
      return steps().run(stream, reads, writes);
    }
  }

  /** An abandoned launch: only its end shows that no event covers it. */
  private static Steps uncommitted(int stream, int reads, int writes) {
    return steps().prepare(stream, reads, writes).launch(stream).abandon(stream);
  }

  /** Work that uses no allocation: its stream counts as in use, so that others record events. */
  private static Steps inUse(int stream) {
    return steps().run(stream, 0, 0);
  }

  private Corpus() {}

  static List<Program> programs() {
    List<Program> programs = new ArrayList<>();
    pairs(programs);
    pairsInDetail(programs);
    closes(programs);
    failures(programs);
    events(programs);
    synchronizations(programs);
    threeThreads(programs);
    return List.copyOf(programs);
  }

  /**
   * The programs in the finest steps, on rings of a size, and one more: a thread looks for the
   * event that is recorded over next.
   */
  static List<Program> onRingsOf(int slots) {
    List<Program> programs = new ArrayList<>();
    programs().forEach(program -> programs.add(program.finest(slots)));
    Steps prelude = inUse(0).then(inUse(1)).run(1, 0, 2);
    for (int i = 1; i < slots; i++) {
      prelude.then(inUse(1));
    }
    programs.add(
        Program.named("the oldest event of a full ring is looked for")
            .prelude(prelude.run(0, 0, 1))
            .thread(steps().run(1, 1, 0))
            .thread(steps().run(2, 2, 0).run(2, 1, 0))
            .build()
            .finest(slots));
    return List.copyOf(programs);
  }

  /** Every pair of uses, from two threads that change streams. */
  private static void pairs(List<Program> programs) {
    for (Use first : Use.values()) {
      for (Use second : Use.values()) {
        if (first.compareTo(second) <= 0) {
          programs.add(
              Program.named(first + " and " + second)
                  .ring(1)
                  .thread(first.on(1).then(second.on(0)).then(first.on(1)))
                  .thread(second.on(2).then(first.on(1)).then(second.on(2)))
                  .build());
        }
      }
    }
  }

  /** Every pair of uses, one launch each, with a third stream's history behind them. */
  private static void pairsInDetail(List<Program> programs) {
    for (Use first : Use.values()) {
      for (Use second : Use.values()) {
        if (first.compareTo(second) <= 0) {
          String name = first + " and " + second + " on one stream, then on others";
          programs.add(
              Program.named(name)
                  .fine()
                  .thread(first.on(1).then(second.on(0)))
                  .thread(second.on(1).then(first.on(2)))
                  .build());
          programs.add(
              Program.named(name + ", beside one in use")
                  .fine()
                  .prelude(inUse(0))
                  .thread(first.on(1).then(second.on(0)))
                  .thread(second.on(1).then(first.on(2)))
                  .build());
          programs.add(
              Program.named(first + " and " + second + " after two reads")
                  .ring(2)
                  .fine()
                  .prelude(steps().run(1, 1, 0).run(2, 3, 0))
                  .thread(first.on(0))
                  .thread(second.on(1))
                  .build());
        }
      }
    }
  }

  private static void closes(List<Program> programs) {
    for (Use use : Use.values()) {
      programs.add(
          Program.named("close while another thread uses: " + use)
              .thread(use.on(1).then(use.on(2)))
              .thread(steps().close(0).close(1))
              .build());
      programs.add(
          Program.named("close of an open submission's allocations: " + use)
              .ring(1)
              .thread(
                  steps().prepare(1, use.reads, use.writes).close(0).launch(1).commit(1).close(1))
              .thread(use.on(2).then(steps().run(0, 2, 0)))
              .build());
    }
    programs.add(
        Program.named("two threads close")
            .thread(steps().run(1, 1, 0).close(0).close(1))
            .thread(steps().run(2, 3, 0).close(1).close(0))
            .build());
    programs.add(
        Program.named("a close inside of an abandoned launch")
            .thread(steps().prepare(1, 1, 0).close(0).abandon(1))
            .thread(steps().run(2, 2, 0).close(1))
            .build());
    programs.add(
        Program.named("a close in detail")
            .fine()
            .ring(1)
            .thread(steps().run(1, 1, 0))
            .thread(steps().close(0))
            .build());
    programs.add(
        Program.named("readers on every stream, then a close")
            .thread(steps().run(1, 1, 0).run(2, 1, 0))
            .thread(steps().run(0, 1, 0).run(2, 0, 2).close(0))
            .build());
  }

  private static void failures(List<Program> programs) {
    for (Use use : Use.values()) {
      programs.add(
          Program.named("a wait fails: " + use)
              .thread(
                  steps()
                      .prepareFailing(1, use.reads, use.writes, 0)
                      .launch(1)
                      .abandon(1)
                      .then(use.on(2)))
              .thread(use.on(2).then(use.on(1)))
              .build());
      programs.add(
          Program.named("launched but not committed: " + use)
              .ring(1)
              .thread(uncommitted(1, use.reads, use.writes).then(use.on(0)))
              .thread(use.on(2).then(uncommitted(2, use.reads, use.writes)))
              .build());
    }
    programs.add(
        Program.named("the second of two waits fails")
            .fine()
            .prelude(steps().run(1, 1, 0))
            .thread(steps().prepareFailing(2, 0, 1, 1).abandon(2))
            .thread(steps().run(0, 0, 1))
            .build());
    programs.add(
        Program.named("prepared and given up")
            .thread(steps().prepare(1, 0, 3).abandon(1).run(2, 0, 1).close(0))
            .thread(steps().prepare(2, 3, 0).abandon(2).run(1, 0, 2))
            .build());
  }

  /**
   * Events that are recorded on demand, recorded over, or older than the stream's current
   * knowledge.
   */
  private static void events(List<Program> programs) {
    for (int ring = 1; ring <= 2; ring++) {
      programs.add(
          Program.named("an event is recorded for another stream while its stream waits")
              .fine()
              .ring(ring)
              .prelude(inUse(0).then(uncommitted(1, 0, 2)).run(0, 0, 1))
              .thread(steps().run(1, 1, 0))
              .thread(steps().run(2, 0, 2).run(2, 1, 0))
              .build());
      programs.add(
          Program.named("an event is recorded over while another stream looks for it")
              .fine()
              .ring(ring)
              .prelude(inUse(0).run(1, 0, 2).run(1, 0, 2).run(0, 0, 1))
              .thread(steps().run(1, 1, 0))
              .thread(steps().run(2, 2, 0).run(2, 1, 0))
              .build());
      programs.add(
          Program.named("two streams want the same event")
              .fine()
              .ring(ring)
              .prelude(uncommitted(1, 0, 2))
              .thread(steps().run(0, 2, 0))
              .thread(steps().run(2, 2, 0))
              .build());
      programs.add(
          Program.named("an event is missing where another stream looks for it")
              .fine()
              .ring(ring)
              .fewEvents()
              .prelude(inUse(0).run(1, 0, 2).run(0, 0, 1))
              .thread(steps().run(1, 1, 0))
              .thread(steps().run(2, 2, 0).run(2, 1, 0))
              .build());
      programs.add(
          Program.named("two streams miss the same event")
              .ring(ring)
              .fewEvents()
              .thread(steps().run(1, 0, 1).run(1, 0, 2).run(1, 0, 2).run(1, 0, 2))
              .thread(steps().run(2, 1, 0).run(0, 2, 0).run(2, 0, 3))
              .build());
      programs.add(
          Program.named("older and newer tickets of one stream")
              .ring(ring)
              .thread(steps().run(1, 0, 2).run(1, 0, 1).run(2, 2, 0).run(2, 1, 0))
              .thread(steps().then(uncommitted(1, 0, 1)).run(2, 1, 0).run(0, 3, 0))
              .build());
      programs.add(
          Program.named("what a stream waits for after its event")
              .ring(ring)
              .thread(steps().run(1, 0, 2).run(1, 1, 0).run(2, 2, 0).run(2, 1, 0))
              .thread(steps().run(1, 2, 0).run(0, 0, 1).run(2, 3, 0))
              .build());
      programs.add(
          Program.named("the ring goes round")
              .ring(ring)
              .thread(steps().run(1, 0, 1).run(1, 0, 2).run(1, 0, 2).run(1, 0, 2))
              .thread(steps().run(2, 1, 0).run(0, 2, 0).run(2, 0, 3))
              .build());
    }
  }

  private static void synchronizations(List<Program> programs) {
    for (Use use : Use.values()) {
      programs.add(
          Program.named("the host waits in between: " + use)
              .thread(use.on(1).then(steps().synchronize(1)).then(use.on(2)))
              .thread(use.on(1).then(use.on(0)))
              .build());
      programs.add(
          Program.named("a launch while the host waits: " + use)
              .fine()
              .ring(1)
              .thread(steps().synchronize(1).then(use.on(2)))
              .thread(use.on(1))
              .build());
    }
  }

  private static void threeThreads(List<Program> programs) {
    for (Use use : Use.values()) {
      programs.add(
          Program.named("three threads, one launch each: " + use)
              .fine()
              .preemptions(4)
              .thread(use.on(0))
              .thread(use.on(1))
              .thread(use.on(2))
              .build());
      programs.add(
          Program.named("two launch and one closes: " + use)
              .preemptions(6)
              .ring(1)
              .thread(use.on(1))
              .thread(use.on(2))
              .thread(steps().close(0).close(1))
              .build());
    }
    programs.add(
        Program.named("writer, reader, writer")
            .preemptions(4)
            .thread(steps().run(1, 0, 1).run(1, 0, 1))
            .thread(steps().run(2, 1, 0))
            .thread(steps().run(0, 0, 2).run(0, 2, 1))
            .build());
  }
}
