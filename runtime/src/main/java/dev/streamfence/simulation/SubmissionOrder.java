package dev.streamfence.simulation;

import java.util.Arrays;

/**
 * What is ordered after what, by vector clocks that advance as operations are submitted: the order
 * that holds under every schedule. A clock says per stream up to which position its operations come
 * before. Confined to the driver's lock.
 *
 * <p>A clock is in blocks that are never written to once they are in one, so that the clocks of
 * many streams share what they have in common.
 */
final class SubmissionOrder {
  /** The clock of one stream. Numbers are never used again. */
  static final class StreamClock {
    private final int number;
    private long position;
    // Never written to once it is here: operations keep it.
    private long[][] seen = {};
    private long hostVersion;

    private StreamClock(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }
  }

  /** The place of one operation. Immutable. */
  static final class Place {
    private final int stream;
    private final long position;
    private final long[][] seen;
    private final long sequence;

    private Place(int stream, long position, long[][] seen, long sequence) {
      this.stream = stream;
      this.position = position;
      this.seen = seen;
      this.sequence = sequence;
    }

    /** The number of its stream. */
    int stream() {
      return stream;
    }

    /** Its position on that stream, from 1. */
    long position() {
      return position;
    }

    /** Whether it was submitted before the other one; that alone orders nothing. */
    boolean submittedBefore(Place other) {
      return sequence < other.sequence;
    }

    /** Whether it is done before the other one begins, under every schedule; or is that one. */
    boolean before(Place other) {
      if (stream == HOST) {
        return sequence <= other.sequence;
      }
      return stream == other.stream
          ? position <= other.position
          : get(other.seen, stream) >= position;
    }
  }

  /** What the host does itself: it is done before anything is submitted later. */
  private static final int HOST = 0;

  private static final int BLOCK_SHIFT = 5;
  private static final int BLOCK = 1 << BLOCK_SHIFT;

  /** The block of streams of which nothing is known. */
  private static final long[] NOTHING = new long[BLOCK];

  private long[][] host = {};
  private long hostVersion;
  private long sequence;
  private int streams;

  StreamClock newStream() {
    return new StreamClock(++streams);
  }

  /** Gives the next operation of a stream its place. */
  Place submit(StreamClock stream) {
    learnFromHost(stream);
    stream.position++;
    return new Place(stream.number, stream.position, stream.seen, ++sequence);
  }

  /** Gives something that the host does at this moment its place. */
  Place onHost() {
    ++sequence;
    return new Place(HOST, sequence, host, sequence);
  }

  /**
   * Everything that is on the stream by now, and what that comes after: what an event stands for.
   */
  long[][] reached(StreamClock stream) {
    learnFromHost(stream);
    int block = stream.number >> BLOCK_SHIFT;
    long[][] reached = copy(stream.seen, block + 1);
    reached[block] = reached[block].clone();
    reached[block][stream.number & (BLOCK - 1)] = stream.position;
    return reached;
  }

  /** What is submitted to the stream from now on comes after what an event stands for. */
  void waited(StreamClock stream, long[][] reached) {
    stream.seen = later(stream.seen, reached);
  }

  /** The host knows that something is done: whatever anybody submits from now on comes after it. */
  void hostKnows(long[][] reached) {
    long[][] merged = later(host, reached);
    if (merged != host) {
      host = merged;
      hostVersion++;
    }
  }

  private void learnFromHost(StreamClock stream) {
    if (stream.hostVersion != hostVersion) {
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

  /** The first clock if it covers the other one. */
  private static long[][] later(long[][] one, long[][] other) {
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

  /** One of the two blocks if it covers the other one, the first rather than the second. */
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
