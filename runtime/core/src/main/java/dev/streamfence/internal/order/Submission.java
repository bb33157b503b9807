// Long because all of it works on the same few arrays, which are kept from one piece of work to the
// next and belong to the holder of the lock.
package dev.streamfence.internal.order;

import static java.util.Objects.requireNonNull;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.Sink;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One piece of work on its way onto a stream: the caller adds the allocations that it uses, {@link
 * #preflight} registers them all at once and queues the waits, the caller queues the work, and
 * {@link #commit} covers it with an event where one may be asked for. {@link #close} ends it,
 * successful or not; registered uses remain, since the work may have been queued. {@link #carryOut}
 * runs all steps of a {@link Work}; only launches, whose steps are public, run them one by one.
 *
 * <p>Each stream has one and reuses it. Its arrays stop growing after the largest submission.
 * Confined to the thread that holds the submission lock.
 */
public final class Submission implements AutoCloseable {
  private enum LaunchStep {
    CLOSED,
    RECORDING,
    REGISTERED,
    PREFLIGHTED,
    /** The work is being put on the stream; it stays so if that fails. */
    QUEUING,
    QUEUED,
    COMMITTED
  }

  private static final UseLabels NOTHING = () -> "nothing";

  private final Timeline timeline;
  private final Sink sink;
  private final Waits waits;
  private final long[] scratch;

  /** Those that are added one by one. */
  private final Uses own = new Uses();

  /** Those of the caller, as far as {@link #isOfCaller}. */
  private @Nullable Uses ofCaller;

  private boolean isOfCaller;

  /** The streams of other code that has some of the memory. */
  private final List<Timeline> consumers = new ArrayList<>(0);

  /** Whether the driver was asked if one of these streams is being captured. */
  private boolean hasAskedConsumers;

  private boolean freeing;
  private UseLabels labels = NOTHING;
  private LaunchStep state = LaunchStep.CLOSED;
  private int waitsQueued;
  private boolean isUse;
  private boolean recorded;

  /** Whether a refused step, or the caller, explains why later steps are missing. */
  private boolean explained;

  private long ticket;
  private @Nullable Visit visit;

  /** The graph that the work becomes nodes of; null if it is put on the stream. */
  private @Nullable GraphRecording recording;

  /** Null unless an observer watches the work. */
  private @Nullable ObservedWork observed;

  private long firstTicket;

  /** The stream on which the thread already had a submission open; only a free is nested in one. */
  private @Nullable Timeline outer;

  /** What the work uses of other devices; nothing for most work. */
  private final Peers peers = new Peers(this);

  /** That of the work of which this is a part; null for work of its own. */
  private @Nullable Peers partOf;

  Submission(Timeline timeline) {
    this.timeline = timeline;
    this.sink = timeline.pool().driver();
    int timelines = timeline.pool().timelines();
    this.waits = new Waits(timeline, timelines);
    this.scratch = new long[timelines];
  }

  void open(UseLabels newLabels, Visit newVisit) {
    // A comparison is cheaper than storing a reference, and the next launch often has the same.
    if (visit != newVisit) {
      visit = newVisit;
    }
    if (labels != newLabels) {
      labels = newLabels;
    }
    setOuter(newVisit.submitting());
    newVisit.setSubmitting(timeline);
    state = LaunchStep.RECORDING;
    isUse = true;
    recorded = false;
    explained = false;
    GraphRecording graph = newVisit.recording();
    if (graph != null && newLabels.inGraph() == UseLabels.InGraph.RECORDED) {
      recording = graph;
    } else {
      observed = timeline.pool().observer().watch(timeline, newLabels);
    }
  }

  private void setOuter(@Nullable Timeline open) {
    if (outer != open) {
      outer = open;
    }
  }

  /** The graph that the work becomes nodes of; null if it is put on the stream. */
  public @Nullable GraphRecording recording() {
    return recording;
  }

  /**
   * Runs all steps of the work that it was begun for, and closes it.
   *
   * @return what the work returns
   * @throws CudaDriverException if a driver call of any step fails; names the work
   */
  public <T> T carryOut(Work<T> work) {
    try (Submission begun = this) {
      work.uses().accept(begun);
      preflight();
      queuing();
      T result = work.calls().apply(begun);
      queued();
      switch (work.coverage()) {
        case AT_COMMIT -> commit();
        case IF_POSSIBLE -> {
          commit();
          coverIfPossible();
        }
        case ALWAYS -> {
          commit();
          coverByEvent();
        }
        case ON_DEMAND -> commitWithoutEvent();
        case ON_DEMAND_OR_EARLIER -> {
          commitWithoutEvent();
          coverIfPossible();
        }
      }
      return result;
    } catch (CudaDriverException e) {
      throw e.during(work.labels().purpose());
    }
  }

  /** What the work is put into. */
  public Sink sink() {
    GraphRecording graph = recording;
    return graph == null ? sink : graph;
  }

  /** The driver's stream that the work is put on. */
  public StreamHandle stream() {
    return timeline.stream();
  }

  /** Whether the calling thread began it and has not closed it. */
  public boolean isHeldByCurrentThread() {
    return timeline.isHeldByCurrentThread();
  }

  /** The stream that the work is put on. */
  public Timeline timeline() {
    return timeline;
  }

  /** How errors name the work. */
  public UseLabels labels() {
    return labels;
  }

  /** The work being submitted, in words. */
  public String purpose() {
    return openLabels().purpose();
  }

  /** The ticket of this work, valid from {@link #preflight} on. */
  public long ticket() {
    return ticket;
  }

  /**
   * Adds an allocation that the work uses. Two uses of one allocation become one that does both.
   *
   * @param label the argument to {@link UseLabels#use} if the allocation cannot be used
   * @throws StreamMisuseException after preflight
   */
  public void use(HazardState hazards, boolean reads, boolean writes, int label) {
    require(LaunchStep.RECORDING, "records a use");
    own.add(hazards, reads, writes, label);
  }

  /**
   * Adds an allocation of another device that the work uses, and that this device can reach. {@link
   * #preflight} registers it there, see {@link Peers}.
   *
   * @param owner the streams of the other device, a peer
   * @param label see {@link #use}
   * @throws StreamMisuseException after preflight
   */
  public void usePeer(
      StreamPool owner, HazardState hazards, boolean reads, boolean writes, int label) {
    require(LaunchStep.RECORDING, "records a use");
    peers.use(owner, hazards, reads, writes, label);
  }

  /**
   * Takes what the work uses from the caller, who adds no uses one by one. They remain as they are,
   * so that the same work can be submitted again.
   *
   * @throws StreamMisuseException after preflight
   */
  public void use(Uses all) {
    require(LaunchStep.RECORDING, "records its uses");
    if (ofCaller != all) {
      ofCaller = all;
    }
    isOfCaller = true;
  }

  private Uses uses() {
    return isOfCaller ? requireNonNull(ofCaller) : own;
  }

  /**
   * Orders the work after everything that another stream was given up to a ticket, besides what its
   * allocations depend on.
   *
   * @throws StreamMisuseException after preflight
   */
  public void after(Timeline other, long otherTicket) {
    require(LaunchStep.RECORDING, "is ordered after another stream");
    waits.add(other, otherTicket);
    if (observed != null) {
      observed.afterWork(other, otherTicket);
    }
  }

  /**
   * Submits what was put on the stream so far, and goes on with the next ticket. Its uses count as
   * submitted from then on, and a close no longer waits for them: only work that allocates or frees
   * marks its stream, and what it frees is closed.
   *
   * @return the submitted ticket, for which other threads may wait
   * @throws StreamMisuseException unless the work is being queued
   */
  public long submitSoFar() {
    require(LaunchStep.QUEUING, "marks its stream");
    long submitted = ticket;
    timeline.publishPart(submitted);
    ticket = timeline.nextTicket();
    return submitted;
  }

  /**
   * Makes the stream wait for a submitted ticket of another one: for work that finds out only while
   * it is queued what it depends on. If the driver refuses, waits on the host.
   *
   * @throws StreamMisuseException unless the work is being queued
   * @throws CudaDriverException if the device is lost, or is now, since neither was possible
   */
  public void waitNow(Timeline other, long otherTicket) {
    require(LaunchStep.QUEUING, "waits for another stream");
    if (other == timeline) {
      return;
    }
    if (observed != null) {
      observed.afterWork(other, otherTicket);
    }
    try {
      waitFor(other, otherTicket);
    } catch (CudaDriverException refused) {
      timeline.pool().sticky().rethrowIfLostBy(refused.during(labels.purpose()));
      try {
        other.awaitDone(otherTicket, labels.purpose());
      } catch (CudaDriverException e) {
        Suppressed.add(e, refused.during(labels.purpose()));
        timeline.pool().sticky().declareLost(e, labels.purpose());
        throw e;
      }
    }
  }

  /** Says that it is a part of the work of another device. */
  void becomePartOf(Peers work) {
    partOf = work;
  }

  /** Lets this thread, which closes it in place of another one, close its parts as well. */
  void takeOverParts(Thread thread) {
    peers.takeOver(thread);
  }

  /** Refuses uses that would be refused now. */
  void requireUsable() {
    Uses uses = uses();
    for (int i = 0; i < uses.count(); i++) {
      uses.get(i).requireUsable(labels, true);
    }
  }

  /** Adds the allocation that the work frees, which is closed to all other uses. */
  public void free(HazardState hazards) {
    freeing = true;
    use(hazards, false, true, 0);
  }

  /**
   * Checks all allocations, registers this work on all of them in one step, and queues the waits.
   * When it throws a {@link dev.streamfence.UseAfterFreeException}, a {@link
   * dev.streamfence.UninitializedReadException} or a {@link StreamMisuseException}, nothing was
   * registered and nothing queued.
   *
   * <p>If the work uses memory of several devices, one of them can refuse it after others have
   * registered it, such as when another thread closes an array meanwhile. On those others, the
   * ticket then stands for no work.
   *
   * @throws CudaDriverException if a wait could not be queued; the caller must not queue its work
   */
  public void preflight() {
    require(LaunchStep.RECORDING, "runs preflight");
    requireOutsideAccess();
    Uses uses = uses();
    uses.sortByGeneration();
    if (recording != null) {
      recording.begin(this, uses);
      state = LaunchStep.PREFLIGHTED;
      return;
    }
    peers.begin();
    peers.register();
    state = LaunchStep.PREFLIGHTED;
  }

  /** Registers the work on this device, and queues the waits. */
  void registerAndWait() {
    while (!register()) {
      askConsumers();
      Uses uses = uses();
      for (int i = 0; i < uses.count(); i++) {
        uses.get(i).state().awaitHost(uses.get(i).writes());
      }
    }
    try {
      for (int i = 0; i < waits.count(); i++) {
        waits.timeline(i).awaitSubmitted(waits.ticket(i));
      }
      for (; waitsQueued < waits.count(); waitsQueued++) {
        waits.bringForwardWhatCovers(waitsQueued);
        waitFor(waits.timeline(waitsQueued), waits.ticket(waitsQueued));
      }
      while (!consumers.isEmpty()) {
        Timeline consumer = consumers.get(consumers.size() - 1);
        if (consumer != timeline) {
          timeline.waitForEverything(consumer);
          if (observed != null) {
            observed.waited(consumer, Long.MAX_VALUE);
          }
        }
        consumers.remove(consumers.size() - 1);
      }
    } catch (CudaDriverException e) {
      throw e.during(labels.purpose());
    }
  }

  /** Refuses a use that has to wait for everything on a stream while that is captured. */
  private void askConsumers() {
    if (consumers.isEmpty()) {
      return;
    }
    for (int i = 0; i < consumers.size(); i++) {
      consumers.get(i).requireNotCapturing(labels);
    }
    hasAskedConsumers = true;
    // The waits stay: the caller has added some of them.
    consumers.clear();
  }

  private void waitFor(Timeline other, long otherTicket) {
    boolean isQueued = timeline.waitFor(other, otherTicket, scratch);
    if (observed == null) {
      return;
    }
    if (isQueued) {
      observed.waited(other, otherTicket);
    } else {
      observed.notWaited(other, otherTicket);
    }
  }

  /** Refuses to wait, with the stream held, for an access of the host that this thread is in. */
  private void requireOutsideAccess() {
    if (requireNonNull(visit).isAccessing()) {
      explained = true;
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_HOST_ACCESS,
          labels.work(),
          " runs preflight inside an access to a pinned array that is mapped or in a graph, in this"
              + " thread; end that first");
    }
  }

  /**
   * Commits the work, with an event that covers it when other streams are in use and may ask for
   * it, see {@link EventRing#separates}. If recording the event fails, even with an {@link Error},
   * the stream is synchronised instead; if that fails too, the device counts as lost.
   *
   * @throws StreamMisuseException before preflight
   * @throws CudaDriverException if neither was possible; the work counts as submitted all the same
   */
  public void commit() {
    requireCommittable();
    if (recording == null && timeline.pool().isShared() && timeline.separates(ticket)) {
      recordOrSynchronize();
    }
    peers.end();
  }

  /**
   * Ensures, after {@link #commit}, that an event covers this work and nothing after it, for a
   * caller that will query its completion.
   *
   * @throws StreamMisuseException before the commit
   * @throws CudaDriverException if that fails, see {@link #commit}
   */
  public void coverByEvent() {
    require(LaunchStep.COMMITTED, "asks for its completion");
    if (recording != null) {
      throw recording.refusal(
          AttemptedUse.of("the completion of " + labels.purpose() + " is asked for"));
    }
    if (!recorded) {
      recordOrSynchronize();
    }
  }

  /**
   * Records an event that covers this work and nothing after it, following {@link
   * #commitWithoutEvent}. Without the event, a wait for this work also waits for later work, and
   * nothing else changes; so a driver error is not thrown, and matters only if it is sticky.
   */
  public void coverIfPossible() {
    require(LaunchStep.COMMITTED, "asks for an event");
    if (recorded || recording != null) {
      return;
    }
    try {
      timeline.record(ticket);
      recorded = true;
    } catch (CudaDriverException e) {
      e.during(labels.purpose());
    }
  }

  /** Commits the work, and leaves the event to the first wait for it. */
  public void commitWithoutEvent() {
    requireCommittable();
    isUse = false;
    peers.end();
  }

  /**
   * Says that the caller puts the work on the stream next. Until {@link #queued}, the work counts
   * as failed.
   *
   * @throws StreamMisuseException before preflight, or if the work was queued before
   * @throws dev.streamfence.RuntimeClosedException if it uses memory of a runtime that was closed
   *     meanwhile
   */
  public void queuing() {
    require(LaunchStep.PREFLIGHTED, "launches");
    explained = true;
    peers.requireOpen();
    explained = false;
    state = LaunchStep.QUEUING;
    if (observed != null) {
      try {
        observed.queuing(peers.addTo(labels.facts()));
      } catch (RuntimeException | Error e) {
        // The work matters more than what is known of it.
      }
    }
    peers.queuing();
  }

  /** Whether the work is being put on the stream, or that has failed. */
  boolean isQueuing() {
    return state == LaunchStep.QUEUING;
  }

  /** Says that the work is on the stream. */
  public void queued() {
    state = LaunchStep.QUEUED;
    if (observed != null) {
      try {
        observed.queued();
      } catch (RuntimeException | Error e) {
        // The work matters more than what is known of it.
      }
    }
  }

  /**
   * Throws unless the work is on the stream and {@link #commit} has not run.
   *
   * @throws StreamMisuseException if not
   */
  public void requireQueued(String act) {
    require(LaunchStep.QUEUED, act);
  }

  /**
   * Says that the work was not put on the stream and will not be.
   *
   * @throws StreamMisuseException if it was
   */
  public void requireNotQueued(String act) {
    if (state == LaunchStep.QUEUED || state == LaunchStep.COMMITTED) {
      throw outOfTurn(act);
    }
    explained = true;
  }

  /**
   * Whether it ends between preflight and commit for no reason: neither the driver, nor a refused
   * step, nor the caller explains it.
   */
  public boolean isAbandoned() {
    return (state == LaunchStep.PREFLIGHTED || state == LaunchStep.QUEUED) && !explained;
  }

  /** Whether {@link #commit} has run. */
  public boolean isCommitted() {
    return state == LaunchStep.COMMITTED;
  }

  /** Throws after {@link #preflight}. */
  public void requireRecording(String act) {
    require(LaunchStep.RECORDING, act);
  }

  /**
   * Ends the submission, publishes its ticket and releases the submission lock; does nothing in a
   * thread that does not hold it. Work that was registered and not committed counts as submitted:
   * if it was queued, it is ordered like any other use; if not, its ticket stands for no work.
   */
  @Override
  public void close() {
    if (!isHeldByCurrentThread() || state == LaunchStep.CLOSED) {
      return;
    }
    Visit ended = requireNonNull(visit);
    ObservedWork watched = observed;
    boolean isDropped = state == LaunchStep.RECORDING;
    long first = firstTicket;
    long last = ticket;
    List<Submission> parts = List.of();
    HazardState closing = null;
    try {
      try {
        if (recording != null) {
          recording.end(uses());
        } else if (state != LaunchStep.RECORDING) {
          securePendingWaits();
          peers.secureEnd();
          if (partOf != null) {
            partOf.secureEnd(this);
          }
          coverForOwner();
          timeline.publish(ticket, labels, isUse);
          closing = timeline.takeClosing();
        }
      } finally {
        ended.setSubmitting(outer);
        parts = peers.clear();
        reset();
        timeline.release();
      }
    } finally {
      try {
        if (watched != null) {
          end(watched, isDropped, first, last);
        }
      } finally {
        release(parts, closing, ended);
      }
    }
  }

  /**
   * Covers work on an adopted stream at once: its owner may capture the stream next, or take it
   * back, and no event can be recorded then.
   */
  private void coverForOwner() {
    if (recorded || !timeline.isAdopted()) {
      return;
    }
    try {
      recordOrSynchronize();
    } catch (RuntimeException | Error e) {
      // The device is lost, as the next call says.
    }
  }

  private static void end(ObservedWork work, boolean isDropped, long first, long last) {
    if (isDropped) {
      work.dropped();
    } else {
      work.ended(first, last);
    }
  }

  /**
   * Ends the parts on other devices, and goes on closing what was closed meanwhile, each even if an
   * earlier one failed. What runs last may be code of the user: nothing is held by then.
   */
  private void release(List<Submission> parts, @Nullable HazardState closing, Visit ended) {
    // Not as steps of a teardown, for which the Java heap may have no room.
    Throwable failure = null;
    for (int i = 0; i < parts.size(); i++) {
      try {
        parts.get(i).close();
      } catch (Throwable e) {
        failure = Teardown.first(failure, e);
      }
    }
    for (HazardState next = closing; next != null; ) {
      HazardState state = next;
      // First, since it may be put into the line of another stream.
      next = state.nextClosing();
      try {
        continueClosing(state);
      } catch (Throwable e) {
        failure = Teardown.first(failure, e);
      }
    }
    try {
      timeline.pool().life().leave(ended);
    } catch (Throwable e) {
      failure = Teardown.first(failure, e);
    }
    if (failure != null) {
      Teardown.<RuntimeException>rethrow(failure);
    }
  }

  private static void continueClosing(HazardState state) {
    Runnable release = state.continueClosing();
    if (release != null) {
      release.run();
    }
  }

  /**
   * Checks all allocations and registers this work on them, unless the host is accessing one, or
   * the streams of other code have to be asked first: then does nothing.
   */
  private boolean register() {
    Uses uses = uses();
    int locked = 0;
    try {
      boolean isAlone = true;
      while (locked < uses.count()) {
        Use use = uses.get(locked);
        use.lock(timeline);
        locked++;
        use.check(freeing, true, labels);
        isAlone &= use.state().isAlone(timeline);
      }
      if (!isAlone && !collect(uses)) {
        return false;
      }
      if (observed != null) {
        observe(observed);
      }
      ticket = timeline.nextTicket();
      firstTicket = ticket;
      // All locks are held: from here on, each can be given back.
      for (; locked > 0; locked--) {
        Use use = uses.get(locked - 1);
        use.register(timeline, ticket);
        use.unlock();
      }
      state = LaunchStep.REGISTERED;
      return true;
    } finally {
      while (locked > 0) {
        uses.get(--locked).unlock();
      }
    }
  }

  /**
   * Finds out what the work waits for. Held: the locks of all uses.
   *
   * @return whether it can be registered now, see {@link #register}
   */
  private boolean collect(Uses uses) {
    for (int i = 0; i < uses.count(); i++) {
      Use use = uses.get(i);
      if (use.state().conflictsWithHost(use.writes())) {
        return false;
      }
      if (!use.isShared()) {
        use.state().history().makeRoom();
      }
    }
    // Reads first: a reader has waited for the preceding write, so its clock often makes the wait
    // for that write unnecessary.
    for (int i = 0; i < uses.count(); i++) {
      Use use = uses.get(i);
      if (use.writes()) {
        use.state().history().collectReads(waits);
      }
    }
    for (int i = 0; i < uses.count(); i++) {
      Use use = uses.get(i);
      use.state().history().collectWrites(waits);
      use.state().history().collectConsumers(use.writes(), waits, consumers);
    }
    return consumers.isEmpty() || hasAskedConsumers;
  }

  /** Tells an observer the uses, and what they come after. Held: the locks of all of them. */
  private void observe(ObservedWork work) {
    try {
      observeUses(work);
    } catch (RuntimeException | Error e) {
      // The work matters more than what is known of it.
    }
  }

  private void observeUses(ObservedWork work) {
    Uses uses = uses();
    for (int i = 0; i < uses.count(); i++) {
      Use use = uses.get(i);
      int label = use.reads() ? use.label() : use.writeLabel();
      work.use(
          new ObservedWork.Use(
              labels.use(label).parameter(),
              use.state().tag(),
              use.state().inWords(),
              use.reads(),
              use.writes()));
      use.state().history().observe(use.writes(), work);
    }
  }

  private void recordOrSynchronize() {
    recorded = true;
    try {
      timeline.record(ticket);
    } catch (CudaDriverException | Error unrecorded) {
      // Even for an Error: the work is queued, and a caller that saw the Error might queue it
      // again.
      Throwable cause =
          unrecorded instanceof CudaDriverException refused
              ? refused.during(labels.purpose())
              : unrecorded;
      timeline.pool().sticky().rethrowIfLostBy(cause);
      try {
        timeline.synchronizeTo(ticket, labels.purpose());
      } catch (CudaDriverException | Error unsynchronized) {
        Suppressed.add(unsynchronized, cause);
        timeline.pool().sticky().declareLost(unsynchronized, labels.purpose());
        throw unsynchronized;
      }
    }
  }

  /**
   * Waits on the host for work whose wait could not be queued: later users of these allocations
   * wait for this ticket alone.
   */
  private void securePendingWaits() {
    for (; waitsQueued < waits.count(); waitsQueued++) {
      Timeline other = waits.timeline(waitsQueued);
      try {
        other.awaitSubmitted(waits.ticket(waitsQueued));
        other.awaitDone(waits.ticket(waitsQueued), labels.purpose());
      } catch (RuntimeException | Error e) {
        timeline.pool().sticky().declareLost(e, labels.purpose());
      }
    }
    // An iterator would be an object per launch.
    for (int i = 0; i < consumers.size(); i++) {
      try {
        consumers.get(i).synchronize(labels.purpose());
      } catch (RuntimeException | Error e) {
        timeline.pool().sticky().declareLost(e, labels.purpose());
      }
    }
  }

  private void reset() {
    own.clear();
    waits.clear();
    consumers.clear();
    hasAskedConsumers = false;
    waitsQueued = 0;
    freeing = false;
    if (isOfCaller && uses().areMany()) {
      ofCaller = null;
    }
    isOfCaller = false;
    setOuter(null);
    if (partOf != null) {
      partOf = null;
    }
    if (observed != null) {
      observed = null;
    }
    if (recording != null) {
      recording = null;
    }
    state = LaunchStep.CLOSED;
  }

  /** Work that makes no driver call, as in tests of the order, need not say that it is queued. */
  private void requireCommittable() {
    if (state != LaunchStep.QUEUED) {
      require(LaunchStep.PREFLIGHTED, "commits");
    }
    state = LaunchStep.COMMITTED;
  }

  private UseLabels openLabels() {
    return state == LaunchStep.CLOSED ? NOTHING : labels;
  }

  private void require(LaunchStep needed, String act) {
    if (state != needed) {
      explained = true;
      throw outOfTurn(act);
    }
  }

  private StreamMisuseException outOfTurn(String act) {
    return new StreamMisuseException(
        StreamMisuseException.Misuse.WRONG_STEP,
        openLabels().work(),
        " " + act + " " + inWords(state) + "; the order is begin, uses, preflight, launch, commit");
  }

  private static String inWords(LaunchStep state) {
    return switch (state) {
      case CLOSED -> "before it is begun";
      case RECORDING -> "before preflight";
      case REGISTERED -> "after its preflight failed";
      case PREFLIGHTED -> "after preflight and before launch";
      case QUEUING -> "after its launch failed";
      case QUEUED -> "after launch and before commit";
      case COMMITTED -> "after commit";
    };
  }
}
