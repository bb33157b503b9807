package dev.streamfence.internal.device;

import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.Undeclared;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** A handler of the messages of one topic that throws what it does not declare. Thread-safe. */
final class ThrowingLog extends Handler implements AutoCloseable {
  private final Logger logger;
  private final AtomicInteger published = new AtomicInteger();

  ThrowingLog(LogTopic topic) {
    logger = Logger.getLogger(topic.loggerName());
    logger.addHandler(this);
  }

  /** How many messages it was given. */
  int published() {
    return published.get();
  }

  @Override
  public void publish(LogRecord each) {
    published.incrementAndGet();
    throw Undeclared.thrown(new IOException("no room for the log"));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
