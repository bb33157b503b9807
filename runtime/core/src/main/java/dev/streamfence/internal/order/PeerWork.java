package dev.streamfence.internal.order;

import dev.streamfence.CudaDriverException;
import java.util.function.Consumer;

/**
 * One piece of work that reads memory of one device and writes that of another: a submission on
 * both. The reading one is on a stream that no caller can name. The writing stream waits until the
 * reading one has come to the work, and the reading stream waits for the work. So each device
 * orders it like any use, and neither knows the tickets of the other. Immutable.
 *
 * @param labels name it in errors of both devices
 * @param read the memory that it reads
 * @param written the memory that it writes
 * @param calls queues it on the stream of the writing submission
 */
public record PeerWork(
    UseLabels labels, HazardState read, HazardState written, Consumer<Submission> calls) {

  /**
   * Puts the work on its streams. Does not synchronise. Both submissions begin, and register, in
   * one order of the devices: threads that work in both directions do not wait for each other.
   *
   * @param readers the streams of the device that is read, a peer of the other one
   * @param timeline the stream that writes
   * @param isReaderFirst whether the device that is read comes first in that order
   * @throws CudaDriverException if a device is lost, or a driver call fails; names the work
   */
  public void submit(StreamPool readers, Timeline timeline, boolean isReaderFirst) {
    try (Submission first = isReaderFirst ? beginReading(readers) : timeline.begin(labels);
        Submission second = isReaderFirst ? timeline.begin(labels) : beginReading(readers)) {
      Submission reading = isReaderFirst ? first : second;
      Submission writing = isReaderFirst ? second : first;
      reading.use(read, true, false, 0);
      writing.use(written, false, true, 0);
      // One after the other: who waits for a use on the second has registered all on the first, so
      // no thread that it waits for waits there for it.
      first.preflight();
      second.preflight();
      queue(reading, writing);
    } catch (CudaDriverException e) {
      throw e.during(labels.purpose());
    }
  }

  private Submission beginReading(StreamPool readers) {
    try {
      Submission begun = readers.beginTransfer(labels, null);
      if (begun != null) {
        return begun;
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("a wait without a deadline ends with what it waits for");
  }

  private void queue(Submission reading, Submission writing) {
    reading.queuing();
    writing.queuing();
    writing.beginAfter(reading);
    try {
      calls.accept(writing);
      writing.queued();
      writing.commit();
    } catch (RuntimeException | Error e) {
      // The work may have been queued.
      endAfter(reading, writing, e);
      throw e;
    }
    reading.endAfter(writing);
    reading.queued();
    reading.commit();
    reading.coverIfPossible();
  }

  private static void endAfter(Submission reading, Submission writing, Throwable failure) {
    try {
      reading.endAfter(writing);
    } catch (RuntimeException | Error e) {
      if (e != failure) {
        failure.addSuppressed(e);
      }
    }
  }
}
