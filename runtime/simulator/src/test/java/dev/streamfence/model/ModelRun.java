package dev.streamfence.model;

import java.util.Random;
import java.util.Set;

/**
 * The driver calls of the model, written down as {@link ClockDriver} does those of the real
 * classes. Confined to one thread.
 */
final class ModelRun implements ProtocolModel.Observer {
  /** A model that has lost a close takes no further step. */
  private static final int MOST_STEPS = 2_000;

  /** At most so many steps in a row are likely for one thread. */
  private static final int LONGEST_STRETCH = 12;

  private final int ring;
  private final Trace trace = new Trace();

  ModelRun(Program program) {
    this.ring = program.ring;
  }

  /**
   * Returns the driver calls of one interleaving, which a seed draws. A model with a flaw continues
   * after a failure, as code with that flaw would.
   */
  static Trace of(Program program, Set<Flaw> flaws, long seed) {
    ModelRun run = new ModelRun(program);
    ProtocolModel model = new ProtocolModel(program, flaws, run);
    int[] state = new int[model.size()];
    model.start(state);
    Random random = new Random(seed);
    int stretch = 1 + random.nextInt(LONGEST_STRETCH);
    int[] enabled = new int[model.threads()];
    int last = -1;
    for (int step = 0; step < MOST_STEPS; step++) {
      int count = 0;
      for (int t = 0; t < enabled.length; t++) {
        if (model.isEnabled(state, t)) {
          enabled[count++] = t;
        }
      }
      if (count == 0) {
        break;
      }
      if (last < 0 || !model.isEnabled(state, last) || random.nextInt(stretch) == 0) {
        last = enabled[random.nextInt(count)];
      }
      model.step(state, last);
    }
    return run.trace;
  }

  Trace trace() {
    return trace;
  }

  /** Slots are recorded in turn, so that the number says which recording a slot has now. */
  private int recordingIn(int stream, int slot) {
    int latest = trace.recordings(stream);
    return Math.max(0, latest - Math.floorMod(latest - 1 - slot, ring));
  }

  @Override
  public void enqueues(int stream) {
    trace.enqueued(stream);
  }

  @Override
  public void records(int stream, int slot) {
    trace.recorded(stream);
  }

  @Override
  public void waits(int waiter, int stream, int slot) {
    trace.waited(waiter, stream, recordingIn(stream, slot));
  }

  @Override
  public void hostWaits(int stream, int slot) {
    trace.hostWaited(stream, recordingIn(stream, slot));
  }

  @Override
  public void synchronizes(int stream) {
    trace.synchronizedStream(stream);
  }
}
