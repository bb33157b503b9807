package dev.streamfence.model;

import dev.streamfence.CudaDriverException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs a {@link Program} with the real stream classes, over a {@link ClockDriver} that records its
 * calls. Like the model, it skips the steps of a refused launch.
 */
final class RealRun {
  /** The calls around which threads take turns. */
  private static final Set<String> CALLS =
      Set.of("recordEvent", "waitForEvent", "synchronizeEvent", "synchronizeStream");

  private final Turns turns;
  private final Scene scene;
  private final Timeline[] streams;
  private final Scene.Allocation[] allocations;

  private RealRun(Turns turns) {
    this.turns = turns;
    this.scene = new Scene(this::takingTurns);
    this.streams = new Timeline[] {scene.first, scene.second, scene.pool.acquire(0)};
    this.allocations =
        new Scene.Allocation[] {scene.new Allocation(streams[0]), scene.new Allocation(streams[0])};
  }

  /** Returns the driver calls that the program's threads made, taking turns as a seed says. */
  static Trace of(Program program, long seed) {
    Turns turns = new Turns(seed);
    RealRun run = new RealRun(turns);
    for (int[] prelude : program.preludes) {
      run.carryOut(prelude);
    }
    Runnable[] threads = new Runnable[program.threads.length];
    for (int i = 0; i < threads.length; i++) {
      int[] steps = program.threads[i];
      threads[i] = () -> run.carryOut(steps);
    }
    turns.run(threads);
    return run.scene.driver.trace();
  }

  private CudaDriver takingTurns(CudaDriver driver) {
    return InterceptedDriver.of(
        driver,
        (method, call) -> {
          if (!CALLS.contains(method)) {
            return call.proceed();
          }
          turns.pause();
          Object answer = call.proceed();
          turns.pause();
          return answer;
        });
  }

  private void carryOut(int[] steps) {
    Submission[] open = new Submission[streams.length];
    int[] uses = new int[streams.length];
    for (int at = 0; at < steps.length; at += Program.STEP_SIZE) {
      int operand = steps[at + 1];
      turns.pause();
      switch (steps[at]) {
        case Program.PREPARE -> {
          uses[operand] = steps[at + 2] | steps[at + 3] << 8;
          open[operand] = prepare(streams[operand], steps[at + 2], steps[at + 3], steps[at + 4]);
        }
        case Program.LAUNCH -> launch(streams[operand], open[operand], uses[operand]);
        case Program.COMMIT -> {
          if (open[operand] != null && open[operand].isAbandoned()) {
            open[operand].commit();
            open[operand].close();
            open[operand] = null;
          }
        }
        case Program.ABANDON -> {
          if (open[operand] != null) {
            open[operand].close();
            open[operand] = null;
          }
        }
        case Program.CLOSE -> allocations[operand].close();
        default -> streams[operand].synchronize("a test");
      }
    }
  }

  /** Begins and preflights; null when it was refused, with nothing registered. */
  private @Nullable Submission prepare(Timeline timeline, int reads, int writes, int failing) {
    Submission submission = timeline.begin(scene);
    try {
      for (int allocation = 0; allocation < allocations.length; allocation++) {
        boolean read = (reads >> allocation & 1) != 0;
        boolean written = (writes >> allocation & 1) != 0;
        if (read || written) {
          submission.use(allocations[allocation].hazards, read && !written, written, 0);
        }
      }
      if (failing != Program.NEVER) {
        scene.driver.failWait(timeline.stream(), failing + 1);
      }
      submission.preflight();
    } catch (UseAfterFreeException closed) {
      submission.close();
      return null;
    } catch (CudaDriverException unqueued) {
      return submission;
    } finally {
      if (failing != Program.NEVER) {
        scene.driver.failWait(timeline.stream(), 0);
      }
    }
    return submission;
  }

  private void launch(Timeline timeline, @Nullable Submission submission, int uses) {
    if (submission == null || !submission.isAbandoned()) {
      return;
    }
    scene.driver.enqueue(timeline.stream());
    for (int allocation = 0; allocation < allocations.length; allocation++) {
      boolean written = (uses >> 8 >> allocation & 1) != 0;
      if (written || (uses >> allocation & 1) != 0) {
        allocations[allocation].cell.use(timeline.stream(), written);
      }
    }
  }
}
