package dev.streamfence.internal.simulator.schedule;

import java.util.Arrays;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The order that holds between operations under every schedule, by vector clocks that advance as
 * operations are submitted. A clock gives, for each stream, the position up to which its operations
 * come before. Confined to the driver's lock.
 *
 * <p>A clock consists of blocks that never change once they are part of a clock, so the clocks of
 * many streams share equal blocks.
 */
public final class SubmissionOrder {
  /** The clock of one stream. Numbers are never reused. */
  public static final class StreamClock {
    private final int number;
    private long position;
    // Never modified once assigned: operations keep it.
    private long[][] seen = {};
    private long hostVersion;

    /** Whether its operations are parts of one that was submitted, and know what that one knew. */
    private final boolean isInner;

    /** The operation that they are parts of. */
    private @Nullable SubmissionPoint whole;

    private StreamClock(int number, boolean isInner) {
      this.number = number;
      this.isInner = isInner;
    }

    /** Says which operation the next ones are parts of. */
    public void enter(SubmissionPoint outer) {
      whole = outer;
    }

    public int number() {
      return number;
    }
  }

  /** The place of one operation. Immutable. */
  public static final class SubmissionPoint {
    private final int stream;
    private final long position;
    private final long[][] seen;
    private final long sequence;

    /** The place among the parts of an operation; null unless it is a part of one. */
    private final @Nullable SubmissionPoint inner;

    private SubmissionPoint(
        int stream, long position, long[][] seen, long sequence, @Nullable SubmissionPoint inner) {
      this.stream = stream;
      this.position = position;
      this.seen = seen;
      this.sequence = sequence;
      this.inner = inner;
    }

    /** The place of a part of this operation. */
    private SubmissionPoint of(SubmissionPoint part) {
      SubmissionPoint within = inner == null ? part : inner.of(part);
      return new SubmissionPoint(stream, position, seen, sequence, within);
    }

    /** Compares two parts of one operation, and other operations as wholes. */
    private boolean compare(
        SubmissionPoint other, BiPredicate<SubmissionPoint, SubmissionPoint> first) {
      if (inner == null
          || other.inner == null
          || stream != other.stream
          || position != other.position) {
        return first.test(this, other);
      }
      return inner.compare(other.inner, first);
    }

    /** Whether the host carried it out. */
    public boolean isOnHost() {
      return stream == HOST;
    }

    /** Its position on that stream, from 1. */
    public long position() {
      return position;
    }

    /** Whether it was submitted before the other one; that alone orders nothing. */
    public boolean submittedBefore(SubmissionPoint other) {
      return compare(other, (one, two) -> one.sequence < two.sequence);
    }

    /**
     * Whether it is done before the other one begins under every schedule, or is the same
     * operation.
     */
    public boolean before(SubmissionPoint other) {
      return compare(other, SubmissionPoint::isBefore);
    }

    private boolean isBefore(SubmissionPoint other) {
      if (stream == HOST) {
        return sequence <= other.sequence;
      }
      return stream == other.stream
          ? position <= other.position
          : get(other.seen, stream) >= position;
    }
  }

  /** The number for the host's own operations, which are done before anything submitted later. */
  private static final int HOST = 0;

  private static final int BLOCK_SHIFT = 5;
  private static final int BLOCK = 1 << BLOCK_SHIFT;

  /** The block for streams of which nothing is known. */
  private static final long[] NOTHING = new long[BLOCK];

  private long[][] host = {};
  private long hostVersion;
  private long sequence;
  private int streams;

  public StreamClock newStream() {
    return new StreamClock(++streams, false);
  }

  /** The clock of a stream for parts of operations, which no host learns of. */
  public StreamClock newInnerStream() {
    return new StreamClock(++streams, true);
  }

  /** The place of a stream's next operation. */
  public SubmissionPoint submit(StreamClock stream) {
    learnFromHost(stream);
    stream.position++;
    SubmissionPoint place =
        new SubmissionPoint(stream.number, stream.position, stream.seen, ++sequence, null);
    return stream.whole == null ? place : stream.whole.of(place);
  }

  /** The place of something that the host does at this moment. */
  public SubmissionPoint onHost() {
    ++sequence;
    return new SubmissionPoint(HOST, sequence, host, sequence, null);
  }

  /** The clock of an event: everything queued on the stream so far, and what comes before that. */
  public long[][] reached(StreamClock stream) {
    learnFromHost(stream);
    return withAllOf(stream, stream.seen);
  }

  /** Orders everything submitted later, on any stream, after a stream that is never used again. */
  public void ended(StreamClock stream) {
    // Not after what it waited for, which may still run.
    hostKnows(withAllOf(stream, new long[0][]));
  }

  private static long[][] withAllOf(StreamClock stream, long[][] clock) {
    int block = stream.number >> BLOCK_SHIFT;
    long[][] reached = copy(clock, block + 1);
    reached[block] = reached[block].clone();
    reached[block][stream.number & (BLOCK - 1)] = stream.position;
    return reached;
  }

  /** Orders everything submitted later to the stream after an event's clock. */
  public void waited(StreamClock stream, long[][] reached) {
    stream.seen = later(stream.seen, reached);
  }

  /**
   * Records that the host knows that something is done: everything submitted later, on any stream,
   * comes after it.
   */
  public void hostKnows(long[][] reached) {
    long[][] merged = later(host, reached);
    if (merged != host) {
      host = merged;
      hostVersion++;
    }
  }

  private void learnFromHost(StreamClock stream) {
    if (stream.hostVersion != hostVersion && !stream.isInner) {
      stream.seen = later(stream.seen, host);
      stream.hostVersion = hostVersion;
    }
  }

  private static long get(long[][] clock, int stream) {
    int block = stream >> BLOCK_SHIFT;
    return block < clock.length ? clock[block][stream & (BLOCK - 1)] : 0;
  }

  private static long[][] copy(long[][] clock, int leastBlocks) {
    long[][] copy = Arrays.copyOf(clock, Math.max(clock.length, leastBlocks));
    Arrays.fill(copy, clock.length, copy.length, NOTHING);
    return copy;
  }

  /** The maximum of two clocks; the first clock itself if it covers the other one. */
  public static long[][] later(long[][] one, long[][] other) {
    long[][] merged = one;
    for (int i = 0; i < other.length; i++) {
      long[] known = i < one.length ? one[i] : NOTHING;
      long[] later = later(known, other[i]);
      if (later != known) {
        if (merged == one) {
          merged = copy(one, other.length);
        }
        merged[i] = later;
      }
    }
    return merged;
  }

  /**
   * The maximum of two blocks; one of the blocks itself if it covers the other one, preferably the
   * first.
   */
  private static long[] later(long[] one, long[] other) {
    if (one == other) {
      return one;
    }
    boolean oneCovers = true;
    boolean otherCovers = true;
    for (int i = 0; i < BLOCK; i++) {
      oneCovers &= one[i] >= other[i];
      otherCovers &= other[i] >= one[i];
    }
    if (oneCovers || otherCovers) {
      return oneCovers ? one : other;
    }
    long[] merged = new long[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
      merged[i] = Math.max(one[i], other[i]);
    }
    return merged;
  }
}
