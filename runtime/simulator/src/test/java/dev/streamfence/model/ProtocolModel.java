package dev.streamfence.model;

import static dev.streamfence.model.RaceOracle.ALLOCATIONS;
import static dev.streamfence.model.RaceOracle.STREAMS;

import java.util.Arrays;
import java.util.Set;

/**
 * The protocol of the package order as a step machine: the work of timelines, submissions, hazard
 * states and event rings between two points at which another thread can run. A state is one array
 * of numbers; a step changes it in place and allocates nothing. {@link TracesTest} compares its
 * driver calls with those of the real classes.
 *
 * <p>Longer than other files: it is one switch over the phases of a submission, in the order in
 * which they happen.
 */
final class ProtocolModel {
  static final int THREADS = 3;

  /** The failure of a step or a final state; {@link #FINE} if there is none. */
  static final int FINE = 0;

  static final int RACE = 1;
  static final int LOST_CLOSE = 2;
  static final int REPEATED_CLOSE = 3;
  static final int LEFT_CLOSING = 4;
  static final int LOCKED = 5;
  static final int DEADLOCK = 6;

  // A stream: its timeline, its ring, and its one submission.
  private static final int SUBMITTED = 0;
  private static final int COMPLETED = 1;
  private static final int OWNER = 2;
  private static final int BUSY = 3;
  private static final int RECORDER = 4;
  private static final int NEXT = 5;

  /** How far it was when an event was last asked for. */
  private static final int ASKED = 6;

  /** The ticket of its latest event. */
  private static final int RECORDED_AT = 7;

  private static final int CLOCK = 8;
  private static final int STATE = CLOCK + STREAMS;
  private static final int TICKET = STATE + 1;
  private static final int READS = STATE + 2;
  private static final int WRITES = STATE + 3;
  private static final int FREEING = STATE + 4;
  private static final int COUNT = STATE + 5;
  private static final int QUEUED = STATE + 6;
  private static final int ORDER = STATE + 7;
  private static final int WAITS = ORDER + STREAMS;
  private static final int STREAM_SIZE = WAITS + STREAMS;
  private static final int STREAM = RaceOracle.SIZE;

  private static final int IDLE = 0;
  private static final int REGISTERED = 1;
  private static final int PREFLIGHTED = 2;

  private static final int WRITER = 0;
  private static final int WRITE = 1;
  private static final int LATEST = 2;
  private static final int READ = 3;
  private static final int READERS = READ + STREAMS;
  private static final int READER = READERS + 1;

  /** The stream that goes on with its close, and 1; 0 for none. */
  private static final int CLOSER = READER + STREAMS;

  private static final int LIFE = CLOSER + 1;
  private static final int ALLOCATION_SIZE = LIFE + 1;
  private static final int ALLOCATION = STREAM + STREAMS * STREAM_SIZE;

  /** From one event to the next, on a stream that none has been asked for. */
  private static final int SPACING = 4;

  private static final int OPEN = 0;
  private static final int CLOSING = 1;
  private static final int CLOSED = 2;

  private static final int PC = 0;
  private static final int PHASE = 1;
  private static final int RELEASES = 2;
  private static final int CURRENT = 3;
  private static final int TARGET = 4;
  private static final int RETURN = 5;
  private static final int LABEL = 6;
  private static final int FAILING = 7;
  private static final int SLOT = 8;
  private static final int CLOSES = 9;
  private static final int SCRATCH = 10;
  private static final int THREAD_SIZE = SCRATCH + STREAMS + 1;
  private static final int THREAD = ALLOCATION + ALLOCATIONS * ALLOCATION_SIZE;

  // An event: what it covers, what its stream had waited for, and what the device knows of it.
  // They come last, and the slots that are used last come last of all, since rings differ in size.
  private static final int COVERED = 0;
  private static final int WAITED = 1;
  private static final int RECORDED = WAITED + STREAMS;
  private static final int EVENT_SIZE = RECORDED + STREAMS;
  private static final int EVENT = THREAD + THREADS * THREAD_SIZE;

  private static final int STEP = 0;
  private static final int REGISTER_REST = 1;
  private static final int AWAIT = 2;
  private static final int PICK = 3;
  private static final int CHECK = 4;
  private static final int ASK = 5;
  private static final int COVER = 6;
  private static final int WAIT = 7;
  private static final int MERGE = 8;
  private static final int INVALIDATE = 9;
  private static final int RECORD = 10;
  private static final int LABEL_SLOT = 11;
  private static final int SECURE = 12;
  private static final int HOST_COVER = 13;
  private static final int HOST_WAIT = 14;
  private static final int HOST_NOTE = 15;
  private static final int PUBLISH = 16;
  private static final int PUBLISH_TICKET = 17;
  private static final int TAKE_CLOSING = 18;
  private static final int LEAVE = 19;
  private static final int FREE_BEGIN = 20;
  private static final int FREE = 21;
  private static final int SNAPSHOT = 22;
  private static final int SYNCHRONIZING = 23;
  private static final int NOTING = 24;
  private static final int CONTINUE = 25;

  /** Receives each driver call of a step, in order. */
  interface Observer {
    /** A launch or a free is queued. */
    void enqueues(int stream);

    void records(int stream, int slot);

    /** A stream is told to wait for the event in a slot of another one. */
    void waits(int waiter, int stream, int slot);

    /** The host waits for the event in a slot. */
    void hostWaits(int stream, int slot);

    /** The host waits for a stream. */
    void synchronizes(int stream);
  }

  private static final Observer UNOBSERVED =
      new Observer() {
        @Override
        public void enqueues(int stream) {}

        @Override
        public void records(int stream, int slot) {}

        @Override
        public void waits(int waiter, int stream, int slot) {}

        @Override
        public void hostWaits(int stream, int slot) {}

        @Override
        public void synchronizes(int stream) {}
      };

  private final Program program;
  private final Observer observer;
  private final int ring;
  private final boolean fine;
  private final boolean finest;
  private final long flaws;
  private int[][] code;
  private boolean yielded;

  ProtocolModel(Program program, Set<Flaw> flaws) {
    this(program, flaws, UNOBSERVED);
  }

  ProtocolModel(Program program, Set<Flaw> flaws, Observer observer) {
    this.program = program;
    this.observer = observer;
    this.ring = program.ring;
    this.fine = program.fine;
    this.finest = program.finest;
    this.flaws = flaws.stream().mapToLong(flaw -> 1L << flaw.ordinal()).sum();
    this.code = program.threads;
  }

  int threads() {
    return code.length;
  }

  /** How many numbers a state has. */
  int size() {
    return event(0, ring);
  }

  /**
   * Makes the state before the first step: two allocations on stream 0, and the preludes run.
   *
   * @return what goes wrong already
   */
  int start(int[] s) {
    for (int allocation = 0; allocation < ALLOCATIONS; allocation++) {
      RaceOracle.enqueue(s, 0);
      RaceOracle.writes(s, 0, allocation);
      int ticket = ++s[STREAM + SUBMITTED];
      s[allocation(allocation) + WRITE] = has(Flaw.NO_READY_TICKET) ? 0 : ticket;
    }
    for (int[] prelude : program.preludes) {
      code = new int[][] {prelude};
      skip(s, 0);
      while (!isDone(s, 0)) {
        int wrong = isEnabled(s, 0) ? step(s, 0) : DEADLOCK;
        if (wrong != FINE) {
          return wrong;
        }
      }
      Arrays.fill(s, THREAD, EVENT, 0);
    }
    code = program.threads;
    for (int t = 0; t < code.length; t++) {
      skip(s, t);
    }
    return FINE;
  }

  boolean isDone(int[] s, int t) {
    int me = thread(t);
    return s[me + PHASE] == STEP && s[me + PC] == code[t].length;
  }

  /** Whether a thread can take a step now. */
  boolean isEnabled(int[] s, int t) {
    int me = thread(t);
    switch (s[me + PHASE]) {
      case STEP:
        if (s[me + PC] == code[t].length) {
          return false;
        }
        return operation(s, t) != Program.PREPARE || s[stream(argument(s, t, 1)) + OWNER] == 0;
      case AWAIT:
        return has(Flaw.TICKET_NOT_AWAITED) || areSubmitted(s, stream(s[me + CURRENT]));
      case INVALIDATE:
        return s[stream(s[me + TARGET]) + RECORDER] == 0;
      case SECURE:
        return has(Flaw.FAILED_WAIT_FORGOTTEN) || areSubmitted(s, stream(s[me + CURRENT]));
      case FREE_BEGIN:
        return isFree(s, lastUser(s, Integer.numberOfTrailingZeros(s[me + RELEASES])), t);
      default:
        return true;
    }
  }

  /** Runs a thread to the next point at which another one can run; returns the failure. */
  int step(int[] s, int t) {
    yielded = false;
    int wrong;
    do {
      wrong = phase(s, t);
    } while (wrong == FINE && !yielded && isEnabled(s, t));
    skip(s, t);
    return wrong;
  }

  /** The failure in a state in which every thread is done. */
  int verdict(int[] s) {
    for (int allocation = 0; allocation < ALLOCATIONS; allocation++) {
      int b = allocation(allocation);
      if (s[b + LIFE] == CLOSING) {
        return LEFT_CLOSING;
      }
      if ((s[b + LIFE] == OPEN ? 0 : 1) > RaceOracle.frees(s, allocation)) {
        return LOST_CLOSE;
      }
      if (RaceOracle.frees(s, allocation) > 1) {
        return REPEATED_CLOSE;
      }
    }
    for (int i = 0; i < STREAMS; i++) {
      if (s[stream(i) + OWNER] != 0 || s[stream(i) + RECORDER] != 0) {
        return LOCKED;
      }
    }
    return FINE;
  }

  private int phase(int[] s, int t) {
    int me = thread(t);
    int current = s[me + CURRENT];
    int own = stream(current);
    switch (s[me + PHASE]) {
      case STEP:
        return operate(s, t);
      case REGISTER_REST:
        register(s, current, s[own + READS] & 2, s[own + WRITES] & 2);
        s[me + PHASE] = AWAIT;
        return yieldNow();
      case AWAIT:
        s[me + PHASE] = PICK;
        return FINE;
      case PICK:
        return pick(s, t);
      case CHECK:
        return check(s, t);
      case ASK:
        return ask(s, t, COVER);
      case COVER:
        return cover(s, t, WAIT);
      case WAIT:
        return queueWait(s, t);
      case MERGE:
        merge(s, t);
        s[own + QUEUED]++;
        s[me + PHASE] = PICK;
        return FINE;
      case INVALIDATE:
        return invalidate(s, t);
      case RECORD:
        return record(s, t);
      case LABEL_SLOT:
        return labelSlot(s, t);
      case SECURE:
        return secure(s, t);
      case HOST_COVER:
        return cover(s, t, HOST_WAIT);
      case HOST_WAIT:
        RaceOracle.synchronizeEvent(s, event(s[me + TARGET], s[me + SLOT]) + RECORDED);
        observer.hostWaits(s[me + TARGET], s[me + SLOT]);
        s[me + PHASE] = HOST_NOTE;
        return yieldFinest();
      case HOST_NOTE:
        complete(s, s[me + TARGET], s[own + WAITS + s[me + TARGET]]);
        s[own + QUEUED]++;
        s[me + PHASE] = SECURE;
        return FINE;
      case PUBLISH:
        // A free is no use: a stream that has nothing else counts as not in use.
        if (s[own + FREEING] == 0) {
          s[own + BUSY] = 1;
        }
        s[me + PHASE] =
            has(Flaw.CLOSES_CONTINUED_BEFORE_SUBMITTING) ? TAKE_CLOSING : PUBLISH_TICKET;
        return finest ? yieldNow() : phase(s, t);
      case PUBLISH_TICKET:
        return publishTicket(s, t);
      case TAKE_CLOSING:
        return takeClosing(s, t);
      case CONTINUE:
        return continueClosing(s, t);
      case LEAVE:
        return leave(s, t);
      case FREE_BEGIN:
        return beginFree(s, t);
      case FREE:
        RaceOracle.enqueue(s, current);
        observer.enqueues(current);
        s[me + PHASE] = PUBLISH;
        yielded = true;
        return RaceOracle.frees(s, current, s[own + FREEING] - 1) ? FINE : RACE;
      case SNAPSHOT:
        System.arraycopy(s, own + CLOCK, s, me + SCRATCH, STREAMS);
        s[me + SLOT] = 0;
        s[me + PHASE] = SYNCHRONIZING;
        return yieldFine();
      case SYNCHRONIZING:
        RaceOracle.synchronizeStream(s, current);
        observer.synchronizes(current);
        s[me + PHASE] = NOTING;
        return yieldFine();
      case NOTING:
        return noteSynchronized(s, t);
      default:
        throw new IllegalStateException();
    }
  }

  private int operate(int[] s, int t) {
    int me = thread(t);
    int operand = argument(s, t, 1);
    switch (operation(s, t)) {
      case Program.PREPARE:
        s[me + CURRENT] = operand;
        s[me + FAILING] = argument(s, t, 4);
        return prepare(s, t, argument(s, t, 2), argument(s, t, 3));
      case Program.LAUNCH:
        advance(s, t);
        yielded = true;
        return launch(s, operand);
      case Program.COMMIT:
        s[me + CURRENT] = operand;
        return commit(s, t);
      case Program.ABANDON:
        s[me + CURRENT] = operand;
        s[me + PHASE] = SECURE;
        return FINE;
      case Program.CLOSE:
        return close(s, t, operand);
      default:
        s[me + CURRENT] = operand;
        s[me + LABEL] = s[stream(operand) + SUBMITTED];
        s[me + PHASE] = SNAPSHOT;
        return yieldFinest();
    }
  }

  private int prepare(int[] s, int t, int reads, int writes) {
    int me = thread(t);
    int own = stream(s[me + CURRENT]);
    for (int allocation = 0; allocation < ALLOCATIONS; allocation++) {
      boolean used = ((reads | writes) >> allocation & 1) != 0;
      if (used
          && s[allocation(allocation) + LIFE] != OPEN
          && !has(Flaw.CLOSED_ALLOCATIONS_ACCEPTED)) {
        advance(s, t);
        return yieldNow();
      }
    }
    begin(s, t, reads, writes);
    s[me + PHASE] = AWAIT;
    if (has(Flaw.ALLOCATIONS_REGISTERED_ONE_BY_ONE) && (reads | writes) == 3) {
      register(s, s[me + CURRENT], reads & 1, writes & 1);
      s[me + PHASE] = REGISTER_REST;
    } else {
      register(s, s[me + CURRENT], reads, writes);
      if (s[own + COUNT] == 0) {
        endPreflight(s, t);
      }
    }
    return yieldNow();
  }

  private void begin(int[] s, int t, int reads, int writes) {
    int own = stream(s[thread(t) + CURRENT]);
    s[own + OWNER] = t + 1;
    s[own + STATE] = REGISTERED;
    s[own + TICKET] = s[own + SUBMITTED] + 1;
    s[own + READS] = reads & ~writes;
    s[own + WRITES] = writes;
    s[own + FREEING] = 0;
  }

  /**
   * Collects the tickets that the uses have to wait for, and registers its own ticket for later
   * uses.
   */
  private void register(int[] s, int stream, int reads, int writes) {
    if (!has(Flaw.LAST_WRITER_ONLY)) {
      for (int allocation = 0; allocation < ALLOCATIONS; allocation++) {
        if ((writes >> allocation & 1) != 0) {
          int b = allocation(allocation);
          for (int i = 0; i < s[b + READERS]; i++) {
            int reader = s[b + READER + i];
            addWait(s, stream, reader, s[b + READ + reader]);
          }
        }
      }
    }
    int waiting = has(Flaw.READERS_WAIT_FOR_NOBODY) ? writes : reads | writes;
    for (int allocation = 0; allocation < ALLOCATIONS; allocation++) {
      if ((waiting >> allocation & 1) != 0) {
        addWait(s, stream, s[allocation(allocation) + WRITER], s[allocation(allocation) + WRITE]);
      }
    }
    for (int allocation = 0; allocation < ALLOCATIONS; allocation++) {
      if (((reads | writes) >> allocation & 1) != 0) {
        if (!has(Flaw.COMMITTED_STATE_ONLY)) {
          remember(s, stream, allocation, (writes >> allocation & 1) != 0);
        }
      }
    }
  }

  private void remember(int[] s, int stream, int allocation, boolean writes) {
    int b = allocation(allocation);
    int ticket = s[stream(stream) + TICKET];
    s[b + LATEST] = stream;
    if (writes) {
      forgetReads(s, allocation);
      s[b + WRITER] = stream;
      s[b + WRITE] = ticket;
      return;
    }
    if (has(Flaw.ONE_READ_PER_ALLOCATION)) {
      forgetReads(s, allocation);
    }
    if (s[b + READ + stream] == 0) {
      s[b + READER + s[b + READERS]++] = stream;
    }
    s[b + READ + stream] = ticket;
  }

  private static void forgetReads(int[] s, int allocation) {
    Arrays.fill(s, allocation(allocation) + READ, allocation(allocation) + CLOSER, 0);
  }

  private void addWait(int[] s, int waiter, int other, int ticket) {
    int own = stream(waiter);
    if (other == waiter || ticket <= s[stream(other) + COMPLETED]) {
      return;
    }
    if (has(Flaw.SUBMITTED_COUNTS_AS_DONE) && ticket <= s[stream(other) + SUBMITTED]) {
      return;
    }
    if (s[own + WAITS + other] == 0) {
      s[own + ORDER + s[own + COUNT]++] = other;
    }
    s[own + WAITS + other] = Math.max(s[own + WAITS + other], ticket);
  }

  /** Takes the next wait; without one, the preflight is through. */
  private int pick(int[] s, int t) {
    int me = thread(t);
    int own = stream(s[me + CURRENT]);
    if (s[own + QUEUED] == s[own + COUNT]) {
      endPreflight(s, t);
      return yieldNow();
    }
    bringForwardWhatCovers(s, own);
    s[me + PHASE] = CHECK;
    return finest ? yieldNow() : check(s, t);
  }

  /** Passes over a wait that is not needed. */
  private int check(int[] s, int t) {
    int me = thread(t);
    int own = stream(s[me + CURRENT]);
    int other = s[own + ORDER + s[own + QUEUED]];
    int ticket = s[own + WAITS + other];
    if (s[stream(other) + COMPLETED] >= ticket || s[own + CLOCK + other] >= ticket) {
      s[own + QUEUED]++;
      s[me + PHASE] = PICK;
      return FINE;
    }
    s[me + TARGET] = other;
    s[me + PHASE] = ASK;
    return finest ? yieldNow() : ask(s, t, COVER);
  }

  /** Asks how far the other stream is, should an event have to be recorded. */
  private int ask(int[] s, int t, int cover) {
    int me = thread(t);
    int other = s[me + TARGET];
    s[me + LABEL] = s[stream(other) + SUBMITTED];
    if (has(Flaw.TICKET_NOT_AWAITED)) {
      s[me + LABEL] = Math.max(s[me + LABEL], s[stream(s[me + CURRENT]) + WAITS + other]);
    }
    s[me + PHASE] = cover;
    return finest ? yieldNow() : cover(s, t, cover == COVER ? WAIT : HOST_WAIT);
  }

  /** Finds an event that covers the ticket; without one, has it recorded, and looks again. */
  private int cover(int[] s, int t, int wait) {
    int me = thread(t);
    int other = s[me + TARGET];
    s[stream(other) + ASKED] = s[me + LABEL];
    int slot = covering(s, other, s[stream(s[me + CURRENT]) + WAITS + other]);
    if (slot >= 0) {
      choose(s, t, other, slot);
      s[me + PHASE] = wait;
    } else {
      s[me + RETURN] = s[me + PHASE];
      s[me + PHASE] = INVALIDATE;
    }
    return yieldFine();
  }

  private void choose(int[] s, int t, int other, int slot) {
    int me = thread(t);
    s[me + SLOT] = slot;
    int clock = has(Flaw.CLOCK_OF_NOW_MERGED) ? stream(other) + CLOCK : event(other, slot) + WAITED;
    System.arraycopy(s, clock, s, me + SCRATCH, STREAMS);
    s[me + SCRATCH + other] = s[event(other, slot) + COVERED];
    if (has(Flaw.SUBMITTED_MERGED_AS_WAITED_FOR)) {
      s[me + SCRATCH + other] = s[stream(other) + SUBMITTED];
    }
    if (has(Flaw.CLOCK_MERGED_BEFORE_WAIT) && s[me + PHASE] == COVER) {
      merge(s, t);
    }
  }

  private int queueWait(int[] s, int t) {
    int me = thread(t);
    int own = stream(s[me + CURRENT]);
    if (s[me + FAILING] == 0) {
      if (has(Flaw.FAILED_WAIT_MERGED)) {
        merge(s, t);
        s[own + QUEUED]++;
      }
      advance(s, t);
      return yieldNow();
    }
    s[me + FAILING]--;
    RaceOracle.await(s, s[me + CURRENT], event(s[me + TARGET], s[me + SLOT]) + RECORDED);
    observer.waits(s[me + CURRENT], s[me + TARGET], s[me + SLOT]);
    s[me + PHASE] = MERGE;
    return yieldFine();
  }

  private void merge(int[] s, int t) {
    int me = thread(t);
    int own = stream(s[me + CURRENT]);
    for (int i = 0; i < STREAMS; i++) {
      s[own + CLOCK + i] = Math.max(s[own + CLOCK + i], s[me + SCRATCH + i]);
    }
  }

  private void endPreflight(int[] s, int t) {
    int me = thread(t);
    int own = stream(s[me + CURRENT]);
    s[own + STATE] = PREFLIGHTED;
    if (has(Flaw.PUBLISHED_BEFORE_LAUNCH)) {
      s[own + SUBMITTED] = s[own + TICKET];
    }
    if (s[own + FREEING] != 0) {
      s[me + PHASE] = FREE;
    } else {
      advance(s, t);
    }
  }

  private int invalidate(int[] s, int t) {
    int me = thread(t);
    int other = stream(s[me + TARGET]);
    s[other + RECORDER] = t + 1;
    int slot = s[other + NEXT];
    s[me + SLOT] = slot;
    s[other + NEXT] = (slot + 1) % ring;
    int event = event(s[me + TARGET], slot);
    if (has(Flaw.LABELLED_BEFORE_RECORDING)) {
      s[event + COVERED] = s[me + LABEL];
    } else if (!has(Flaw.SLOT_NOT_INVALIDATED)) {
      s[event + COVERED] = 0;
    }
    System.arraycopy(s, other + CLOCK, s, event + WAITED, STREAMS);
    s[me + PHASE] = RECORD;
    return yieldFine();
  }

  private int record(int[] s, int t) {
    int me = thread(t);
    RaceOracle.record(s, s[me + TARGET], event(s[me + TARGET], s[me + SLOT]) + RECORDED);
    observer.records(s[me + TARGET], s[me + SLOT]);
    s[me + PHASE] = LABEL_SLOT;
    return finest ? yieldNow() : labelSlot(s, t);
  }

  private int labelSlot(int[] s, int t) {
    int me = thread(t);
    int event = event(s[me + TARGET], s[me + SLOT]);
    s[event + COVERED] = s[me + LABEL];
    s[event + WAITED + s[me + TARGET]] = s[me + LABEL];
    s[stream(s[me + TARGET]) + RECORDED_AT] = s[me + LABEL];
    s[stream(s[me + TARGET]) + RECORDER] = 0;
    s[me + PHASE] = s[me + RETURN];
    return s[me + RETURN] == PUBLISH ? yieldFine() : yieldFinest();
  }

  private int launch(int[] s, int stream) {
    int own = stream(stream);
    RaceOracle.enqueue(s, stream);
    observer.enqueues(stream);
    for (int allocation = 0; allocation < ALLOCATIONS; allocation++) {
      if ((s[own + WRITES] >> allocation & 1) != 0
          ? !RaceOracle.writes(s, stream, allocation)
          : (s[own + READS] >> allocation & 1) != 0 && !RaceOracle.reads(s, stream, allocation)) {
        return RACE;
      }
    }
    return FINE;
  }

  private int commit(int[] s, int t) {
    int me = thread(t);
    int own = stream(s[me + CURRENT]);
    for (int allocation = 0; allocation < ALLOCATIONS; allocation++) {
      boolean writes = (s[own + WRITES] >> allocation & 1) != 0;
      if (has(Flaw.COMMITTED_STATE_ONLY) && ((s[own + READS] >> allocation & 1) != 0 || writes)) {
        remember(s, s[me + CURRENT], allocation, writes);
      }
      if (has(Flaw.READERS_CLEARED_AT_COMMIT) && writes) {
        forgetReads(s, allocation);
      }
    }
    int busy = 0;
    for (int i = 0; i < STREAMS; i++) {
      busy += s[stream(i) + BUSY];
    }
    if (busy < 2 || !separates(s, own)) {
      s[me + PHASE] = PUBLISH;
      return yieldFinest();
    }
    s[me + TARGET] = s[me + CURRENT];
    s[me + LABEL] = s[own + TICKET];
    s[me + RETURN] = PUBLISH;
    s[me + PHASE] = INVALIDATE;
    return yieldFinest();
  }

  /** Whether an event is to separate the ticket from the next one. */
  private boolean separates(int[] s, int own) {
    return s[own + TICKET] - s[own + ASKED] <= program.separated
        || s[own + TICKET] - s[own + RECORDED_AT] >= SPACING;
  }

  /** The host waits for the work whose wait could not be queued. */
  private int secure(int[] s, int t) {
    int me = thread(t);
    int own = stream(s[me + CURRENT]);
    while (s[own + QUEUED] < s[own + COUNT] && !has(Flaw.FAILED_WAIT_FORGOTTEN)) {
      int other = s[own + ORDER + s[own + QUEUED]];
      if (s[stream(other) + COMPLETED] < s[own + WAITS + other]) {
        s[me + TARGET] = other;
        return ask(s, t, HOST_COVER);
      }
      s[own + QUEUED]++;
    }
    s[me + PHASE] = PUBLISH;
    return FINE;
  }

  private int publishTicket(int[] s, int t) {
    int me = thread(t);
    int own = stream(s[me + CURRENT]);
    if (!isAbandoned(s, t) || !has(Flaw.ABANDONED_TICKET_NEVER_PUBLISHED)) {
      s[own + SUBMITTED] = s[own + TICKET];
    }
    s[me + PHASE] = has(Flaw.CLOSES_CONTINUED_BEFORE_SUBMITTING) ? LEAVE : TAKE_CLOSING;
    return yieldFine();
  }

  /** Takes over the closes that wait for the stream, and releases the lock. */
  private int takeClosing(int[] s, int t) {
    int me = thread(t);
    if (!isAbandoned(s, t) || !has(Flaw.CLOSES_KEPT_WHEN_ABANDONED)) {
      for (int allocation = 0; allocation < ALLOCATIONS; allocation++) {
        int b = allocation(allocation);
        if (s[b + CLOSER] == s[me + CURRENT] + 1) {
          s[b + CLOSER] = 0;
          s[me + CLOSES] |= 1 << allocation;
        }
      }
    }
    if (has(Flaw.CLOSES_CONTINUED_BEFORE_SUBMITTING)) {
      s[me + PHASE] = PUBLISH_TICKET;
      return yieldNow();
    }
    s[me + PHASE] = LEAVE;
    return finest ? yieldNow() : leave(s, t);
  }

  private int leave(int[] s, int t) {
    int me = thread(t);
    int own = stream(s[me + CURRENT]);
    Arrays.fill(s, own + STATE, own + STREAM_SIZE, 0);
    s[own + OWNER] = 0;
    s[me + PHASE] = CONTINUE;
    return s[me + CLOSES] == 0 ? continueClosing(s, t) : yieldFine();
  }

  /** Goes on with the closes that were taken over, one after another. */
  private int continueClosing(int[] s, int t) {
    int me = thread(t);
    if (s[me + CLOSES] == 0) {
      continueReleasing(s, t);
      return yieldNow();
    }
    int allocation = Integer.numberOfTrailingZeros(s[me + CLOSES]);
    s[me + CLOSES] &= s[me + CLOSES] - 1;
    endUses(s, t, allocation);
    if (has(Flaw.DEFERRED_CLOSE_FORGOTTEN)) {
      s[me + RELEASES] &= ~(1 << allocation);
    }
    return yieldFinest();
  }

  /** Closes an allocation whose uses are submitted; otherwise a stream goes on with that. */
  private void endUses(int[] s, int t, int allocation) {
    int b = allocation(allocation);
    s[b + CLOSER] = has(Flaw.UNSUBMITTED_USES_IGNORED) ? 0 : unsubmitted(s, b) + 1;
    s[b + LIFE] = s[b + CLOSER] == 0 ? CLOSED : CLOSING;
    if (s[b + LIFE] == CLOSED) {
      s[thread(t) + RELEASES] |= 1 << allocation;
    }
  }

  /** A stream with a use that is not submitted; -1 if there is none. */
  private int unsubmitted(int[] s, int b) {
    if (s[b + WRITE] > s[stream(s[b + WRITER]) + SUBMITTED]) {
      return s[b + WRITER];
    }
    for (int i = 0; i < s[b + READERS] && !has(Flaw.UNSUBMITTED_READS_IGNORED); i++) {
      int reader = s[b + READER + i];
      if (s[b + READ + reader] > s[stream(reader) + SUBMITTED]) {
        return reader;
      }
    }
    return -1;
  }

  private boolean isAbandoned(int[] s, int t) {
    return operation(s, t) == Program.ABANDON && s[stream(s[thread(t) + CURRENT]) + FREEING] == 0;
  }

  private int close(int[] s, int t, int allocation) {
    int b = allocation(allocation);
    if (s[b + LIFE] == OPEN || has(Flaw.CLOSE_NOT_IDEMPOTENT)) {
      endUses(s, t, allocation);
    }
    continueReleasing(s, t);
    return yieldNow();
  }

  private void continueReleasing(int[] s, int t) {
    int me = thread(t);
    if (s[me + RELEASES] == 0) {
      advance(s, t);
    } else {
      s[me + PHASE] = FREE_BEGIN;
    }
  }

  private int beginFree(int[] s, int t) {
    int me = thread(t);
    int allocation = Integer.numberOfTrailingZeros(s[me + RELEASES]);
    int stream = lastUser(s, allocation);
    int own = stream(stream);
    if (s[own + OWNER] == t + 1) {
      // begin refuses a second submission of this thread on the stream, and the allocation is lost.
      return LOST_CLOSE;
    }
    s[me + CURRENT] = stream;
    s[me + FAILING] = Program.NEVER;
    s[me + RELEASES] &= s[me + RELEASES] - 1;
    begin(s, t, 0, 1 << allocation);
    s[own + FREEING] = allocation + 1;
    if (!has(Flaw.FREE_WITHOUT_WAITING)) {
      register(s, stream, 0, 1 << allocation);
    }
    s[me + PHASE] = AWAIT;
    if (s[own + COUNT] == 0) {
      endPreflight(s, t);
    }
    return yieldNow();
  }

  /**
   * Notes first the work that the stream had waited for, one stream after another, then its own.
   */
  private int noteSynchronized(int[] s, int t) {
    int me = thread(t);
    int stream = s[me + CURRENT];
    int own = stream(stream);
    if (s[me + SLOT] < STREAMS) {
      int i = s[me + SLOT]++;
      complete(
          s, i, s[(has(Flaw.CLOCK_READ_AFTER_SYNCHRONIZING) ? own + CLOCK : me + SCRATCH) + i]);
      return yieldFinest();
    }
    boolean late = has(Flaw.SUBMITTED_READ_AFTER_SYNCHRONIZING);
    complete(s, stream, late ? s[own + SUBMITTED] : s[me + LABEL]);
    advance(s, t);
    return yieldNow();
  }

  private static void complete(int[] s, int stream, int ticket) {
    int completed = stream(stream) + COMPLETED;
    s[completed] = Math.max(s[completed], ticket);
  }

  /** The slot of the oldest event that covers a ticket, or -1. */
  private int covering(int[] s, int stream, int ticket) {
    if (has(Flaw.SLOT_FOUND_BY_POSITION)) {
      int slot = ticket % ring;
      return s[event(stream, slot) + COVERED] == 0 ? -1 : slot;
    }
    int next = s[stream(stream) + NEXT];
    if (has(Flaw.NEWEST_EVENT_COVERS)) {
      int slot = (next - 1 + ring) % ring;
      return s[event(stream, slot) + COVERED] == 0 ? -1 : slot;
    }
    int found = -1;
    for (int back = 1; back <= ring; back++) {
      int slot = (next - back + ring) % ring;
      int covered = s[event(stream, slot) + COVERED];
      if (covered >= ticket) {
        found = slot;
      } else if (covered != 0) {
        break;
      }
    }
    return found;
  }

  /** Exchanges the next wait for one that makes it unnecessary. */
  private void bringForwardWhatCovers(int[] s, int own) {
    int position = s[own + QUEUED];
    for (int i = position + 1; i < s[own + COUNT]; i++) {
      int first = s[own + ORDER + position];
      int other = s[own + ORDER + i];
      int slot = covering(s, other, s[own + WAITS + other]);
      int clock = slot >= 0 ? event(other, slot) + WAITED : stream(other) + CLOCK;
      if (s[clock + first] >= s[own + WAITS + first]) {
        s[own + ORDER + position] = other;
        s[own + ORDER + i] = first;
      }
    }
  }

  private boolean areSubmitted(int[] s, int own) {
    for (int i = 0; i < s[own + COUNT]; i++) {
      int other = s[own + ORDER + i];
      if (s[stream(other) + SUBMITTED] < s[own + WAITS + other]) {
        return false;
      }
    }
    return true;
  }

  private static int lastUser(int[] s, int allocation) {
    return s[allocation(allocation) + LATEST];
  }

  private boolean isFree(int[] s, int stream, int t) {
    int owner = s[stream(stream) + OWNER];
    return owner == 0 || owner == t + 1;
  }

  /** Passes over the steps of a submission that was refused. */
  private void skip(int[] s, int t) {
    int me = thread(t);
    while (s[me + PHASE] == STEP && s[me + PC] < code[t].length) {
      int operation = operation(s, t);
      if (operation == Program.PREPARE
          || operation == Program.CLOSE
          || operation == Program.SYNCHRONIZE) {
        return;
      }
      int own = stream(argument(s, t, 1));
      boolean open = s[own + OWNER] == t + 1;
      if (open && (operation == Program.ABANDON || s[own + STATE] == PREFLIGHTED)) {
        return;
      }
      s[me + PC] += Program.STEP_SIZE;
    }
  }

  private void advance(int[] s, int t) {
    int me = thread(t);
    s[me + PHASE] = STEP;
    s[me + PC] += Program.STEP_SIZE;
  }

  private int yieldNow() {
    yielded = true;
    return FINE;
  }

  private int yieldFine() {
    yielded = fine;
    return FINE;
  }

  private int yieldFinest() {
    yielded = finest;
    return FINE;
  }

  private boolean has(Flaw flaw) {
    return (flaws >> flaw.ordinal() & 1) != 0;
  }

  private int operation(int[] s, int t) {
    return code[t][s[thread(t) + PC]];
  }

  private int argument(int[] s, int t, int index) {
    return code[t][s[thread(t) + PC] + index];
  }

  private static int stream(int index) {
    return STREAM + index * STREAM_SIZE;
  }

  private static int allocation(int index) {
    return ALLOCATION + index * ALLOCATION_SIZE;
  }

  private static int thread(int index) {
    return THREAD + index * THREAD_SIZE;
  }

  private static int event(int stream, int slot) {
    return EVENT + (slot * STREAMS + stream) * EVENT_SIZE;
  }
}
