package dev.streamfence.trace;

import dev.streamfence.internal.trace.RecordedTrace;
import java.nio.file.Path;
import java.util.List;

/**
 * The work that one or more runtimes have put on their streams, of which the oldest is forgotten
 * when there is no more room: what each piece used, what it waited for and why, and when it was
 * submitted and carried out. Give it to {@link dev.streamfence.RuntimeOptions#withTrace(Trace)
 * RuntimeOptions.withTrace}; a runtime without one records nothing.
 *
 * <p>Thread-safe. Reading it makes no driver call but those that fetch measured times of finished
 * work, and waits for nothing. It may be read while the runtime works, and after it is closed.
 */
public sealed interface Trace permits RecordedTrace {
  /**
   * A trace in memory. One piece of work takes about 500 bytes of the Java heap, more with many
   * arrays.
   *
   * @param works how many pieces of work it keeps, how many changes of memory, and how many waits
   *     for memory and spilled arrays: the latest of each
   * @throws IllegalArgumentException if that is less than 1
   */
  static Trace inMemory(int works) {
    return new RecordedTrace(works);
  }

  /**
   * The trace that a recording of JDK Flight Recorder contains, see the events in category
   * Streamfence.
   *
   * @param recording a {@code .jfr} file
   * @throws java.io.UncheckedIOException if it cannot be read
   * @throws UnsupportedOperationException if the Java run-time image has no module {@code jdk.jfr}
   */
  static Trace ofFlightRecording(Path recording) {
    return RecordedTrace.ofFlightRecording(recording);
  }

  /** The work so far that it still has, in the order of submission; unmodifiable. */
  List<TracedWork> works();

  /** The changes of device memory so far that it still has, oldest first; unmodifiable. */
  List<TracedMemory> memory();

  /**
   * The waits of tasks for memory that have ended, and the spillable arrays that have left the
   * device and come back, that it still has, in the order in which they began; unmodifiable.
   */
  List<TracedPressure> pressure();

  /**
   * How many pieces of work, and how many of {@link #pressure}, it had and has no more: for lack of
   * room, or after {@link #clear}.
   */
  long forgotten();

  /** Forgets everything. The beginning of the trace remains. */
  void clear();

  /**
   * The work in words, one paragraph each: what it used, and for each other piece of work that it
   * comes after, why, and what that took. Waits for memory and spilled arrays stand between them,
   * where they began.
   */
  String explain();

  /**
   * Writes one page of HTML that shows the work in lanes, one for each stream, with waits as arrows
   * and memory beneath. A lane for each thread that has waited for memory, and one for spilled
   * arrays, follow the streams of a device. The page needs nothing else, and no network.
   *
   * @param file the file, which is overwritten
   * @throws java.io.UncheckedIOException if it cannot be written
   */
  void writeHtml(Path file);

  /**
   * Writes the trace in the JSON format that Perfetto and Chrome's {@code about:tracing} read.
   *
   * @param file the file, which is overwritten
   * @throws java.io.UncheckedIOException if it cannot be written
   * @see <a href="https://perfetto.dev/docs/getting-started/other-formats">Perfetto: trace
   *     formats</a>
   */
  void writeChromeJson(Path file);
}
