package dev.streamfence.simulation;

import java.util.Arrays;

/**
 * What is ordered after what, by vector clocks that advance as operations are submitted: the order
 * that holds under every schedule. A clock says per stream up to which position its operations come
 * before. Confined to the driver's lock.
 */
final class SubmissionOrder {
  /** The clock of one stream. Numbers are never used again. */
  static final class StreamClock {
    private final int number;
    private long position;
    // Never written to once it is here: operations keep it.
    private long[] seen = {};
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
    private final long[] seen;
    private final long sequence;

    private Place(int stream, long position, long[] seen, long sequence) {
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
          : stream < other.seen.length && other.seen[stream] >= position;
    }
  }

  /** What the host does itself: it is done before anything is submitted later. */
  private static final int HOST = 0;

  private long[] host = {};
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
  long[] reached(StreamClock stream) {
    learnFromHost(stream);
    long[] reached = Arrays.copyOf(stream.seen, Math.max(stream.seen.length, stream.number + 1));
    reached[stream.number] = stream.position;
    return reached;
  }

  /** What is submitted to the stream from now on comes after what an event stands for. */
  void waited(StreamClock stream, long[] reached) {
    stream.seen = later(stream.seen, reached);
  }

  /** The host knows that something is done: whatever anybody submits from now on comes after it. */
  void hostKnows(long[] reached) {
    long[] merged = later(host, reached);
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

  private static long[] later(long[] one, long[] other) {
    boolean covered = one.length >= other.length;
    for (int i = 0; covered && i < other.length; i++) {
      covered = one[i] >= other[i];
    }
    if (covered) {
      return one;
    }
    long[] merged = Arrays.copyOf(one, Math.max(one.length, other.length));
    for (int i = 0; i < other.length; i++) {
      merged[i] = Math.max(merged[i], other[i]);
    }
    return merged;
  }
}
