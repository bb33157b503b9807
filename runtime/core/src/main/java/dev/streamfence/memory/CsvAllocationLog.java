package dev.streamfence.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import de.siegmar.fastcsv.writer.CsvWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An allocation log in a CSV file (RFC 4180, UTF-8). Thread-safe. */
final class CsvAllocationLog implements AllocationLog {
  private final CsvWriter csv;

  /** Opens the file, see {@link AllocationLog#csv}. */
  CsvAllocationLog(Path file) {
    try {
      // Flushed after each line: the last lines before a crash matter most.
      csv = CsvWriter.builder().autoFlush(true).build(Files.newBufferedWriter(file, UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    csv.writeRecord(
        "action",
        "device",
        "stream",
        "address",
        "bytes",
        "tag",
        "generation",
        "thread",
        "order",
        "wallClockNanos",
        "error",
        "message");
  }

  @Override
  public synchronized void append(AllocationRecord record) {
    csv.writeRecord(
        record.action().name(),
        Integer.toString(record.deviceOrdinal()),
        record.stream() < 0 ? "" : Integer.toString(record.stream()),
        record.address() == 0 ? "" : "0x" + Long.toHexString(record.address()),
        Long.toString(record.bytes()),
        record.tag(),
        record.generation() == 0 ? "" : Long.toString(record.generation()),
        Long.toString(record.thread()),
        Long.toString(record.order()),
        Long.toString(record.wallClockNanos()),
        record.error(),
        record.message());
  }

  /** Closes the file; later records are dropped. */
  @Override
  public synchronized void close() {
    try {
      csv.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
