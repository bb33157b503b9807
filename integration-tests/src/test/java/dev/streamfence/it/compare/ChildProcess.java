package dev.streamfence.it.compare;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * An opponent in a child process, which stays alive and idle between its measurements. If it ends
 * or hangs, the row that it was measuring fails, and the next row starts it again. Confined to one
 * thread.
 */
final class ChildProcess implements Opponent {
  private static final String END = "\0end";
  private static final int LINES_KEPT = 6;

  private final String name;
  private final List<String> command;
  private final Duration limit;
  private final Deque<String> chatter = new ArrayDeque<>();
  private Running running;

  /** A process, and the lines that a thread reads from it. */
  private record Running(Process process, BlockingQueue<String> lines, Writer requests) {
    static Running start(List<String> command) {
      try {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> read(process, lines), "reader of " + command.get(0));
        reader.setDaemon(true);
        reader.start();
        return new Running(process, lines, process.outputWriter(UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void read(Process process, BlockingQueue<String> lines) {
      try (BufferedReader reader = process.inputReader(UTF_8)) {
        reader.lines().forEach(lines::add);
      } catch (IOException | UncheckedIOException e) {
        lines.add(e.toString());
      } finally {
        lines.add(END);
      }
    }
  }

  /** What ended a conversation. */
  private static final class Ended extends Exception {
    private static final long serialVersionUID = 1;

    Ended(String message) {
      super(message);
    }
  }

  /**
   * Starts it.
   *
   * @param limit how long it may take to become ready, and for one row
   * @throws UncheckedIOException if there is no such program
   */
  ChildProcess(String name, List<String> command, Duration limit) {
    this.name = name;
    this.command = List.copyOf(command);
    this.limit = limit;
    this.running = Running.start(command);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Greeting greeting() {
    List<String> rows = new ArrayList<>();
    String about = "";
    try {
      while (true) {
        String line = line();
        if (line.startsWith("row ")) {
          rows.add(after("row ", line));
        } else if (line.startsWith("about ")) {
          about = after("about ", line);
        } else if (line.startsWith("cannot: ")) {
          return new Greeting(rows, about, after("cannot: ", line));
        } else if (line.equals("ready")) {
          return new Greeting(rows, about, "");
        } else {
          keep(line);
        }
      }
    } catch (Ended e) {
      return new Greeting(rows, about, e.getMessage());
    }
  }

  @Override
  public Answer measure(String row) {
    if (!running.process().isAlive()) {
      running = Running.start(command);
      String missing = greeting().missing();
      if (!missing.isEmpty()) {
        return new Cannot(missing);
      }
    }
    try {
      running.requests().write("measure " + row + "\n");
      running.requests().flush();
    } catch (IOException e) {
      // Its last words say more than a broken pipe.
      keep(e.toString());
    }
    try {
      while (true) {
        String line = line();
        if (line.startsWith("value ")) {
          return new Value(Double.parseDouble(after("value ", line)));
        } else if (line.startsWith("cannot: ")) {
          return new Cannot(after("cannot: ", line));
        }
        keep(line);
      }
    } catch (Ended e) {
      return new Cannot(e.getMessage());
    } catch (NumberFormatException e) {
      return new Cannot("its answer is no number: " + e.getMessage());
    }
  }

  private String line() throws Ended {
    try {
      String line = running.lines().poll(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null) {
        running.process().destroyForcibly().waitFor();
        throw new Ended("it took longer than " + limit.toSeconds() + " s" + lastWords());
      }
      if (line.equals(END)) {
        throw new Ended("it ended with status " + running.process().waitFor() + lastWords());
      }
      return line;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Ended("interrupted");
    }
  }

  private void keep(String line) {
    if (!line.isBlank()) {
      chatter.add(line.strip());
    }
    while (chatter.size() > LINES_KEPT) {
      chatter.remove();
    }
  }

  private String lastWords() {
    String words = chatter.isEmpty() ? "" : ": " + String.join(" | ", chatter);
    chatter.clear();
    return words;
  }

  private static String after(String prefix, String line) {
    return line.substring(prefix.length()).strip();
  }

  @Override
  public void close() {
    Process process = running.process();
    try {
      running.requests().close();
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (IOException e) {
      // It has ended already.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }
}
