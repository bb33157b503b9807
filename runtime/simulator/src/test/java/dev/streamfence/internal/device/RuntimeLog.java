package dev.streamfence.internal.device;

import dev.streamfence.internal.LogTopic;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Records the log messages of runtimes, of all topics or of one. Thread-safe. */
public final class RuntimeLog implements AutoCloseable {
  private final Logger logger;
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord report) {
          records.add(report);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private RuntimeLog(String name) {
    logger = Logger.getLogger(name);
    logger.addHandler(handler);
  }

  /** Records the messages of all topics. */
  public static RuntimeLog listen() {
    return new RuntimeLog("dev.streamfence");
  }

  /** Records the messages of one topic. */
  public static RuntimeLog listenTo(LogTopic topic) {
    return new RuntimeLog(topic.loggerName());
  }

  public List<LogRecord> records() {
    return records;
  }

  /** The records whose text contains a part, since other tests of the process may log as well. */
  public List<LogRecord> recordsWith(String part) {
    return records.stream().filter(each -> text(each).contains(part)).toList();
  }

  /** The texts of the messages, formatted. */
  public List<String> messages() {
    return records.stream().map(RuntimeLog::text).toList();
  }

  private static String text(LogRecord each) {
    return new SimpleFormatter().formatMessage(each);
  }

  @Override
  public void close() {
    logger.removeHandler(handler);
  }
}
