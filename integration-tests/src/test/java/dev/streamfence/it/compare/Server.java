package dev.streamfence.it.compare;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashSet;
import java.util.Set;

/** The side of a child in the conversation that {@link Opponent} describes. */
final class Server {
  /** For the compiler, which the other opponents do not have. */
  private static final long WARM_UP_NANOS = 1_500_000_000;

  private final RowGroup group;
  private final PrintStream answers = new PrintStream(System.out, true, UTF_8);
  private final Set<String> warm = new HashSet<>();
  private boolean isOpen;

  private Server(RowGroup group) {
    this.group = group;
  }

  /**
   * Serves standard input until it ends, and then ends the process.
   *
   * @param missing why nothing can be measured, or empty
   */
  static void serve(RowGroup group, String missing) throws IOException {
    Server server = new Server(group);
    group.rows().forEach(row -> server.answers.println("row " + row));
    server.answers.println(missing.isEmpty() ? "ready" : "cannot: " + missing);
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      server.answers.println(server.answer(line.substring(line.indexOf(' ') + 1)));
    }
    // Threads of the group and arrays in their millions: no end in order.
    Runtime.getRuntime().halt(0);
  }

  private String answer(String row) {
    try {
      if (!isOpen) {
        group.open();
        isOpen = true;
      }
      long begun = System.nanoTime();
      double value = group.measure(row);
      while (!warm.contains(row) && System.nanoTime() - begun < WARM_UP_NANOS) {
        value = group.measure(row);
      }
      warm.add(row);
      return "value " + value;
    } catch (Exception | LinkageError | OutOfMemoryError e) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace, true));
      return "cannot: "
          + trace
              .toString()
              .lines()
              .limit(6)
              .map(String::strip)
              .reduce((a, b) -> a + " | " + b)
              .orElse("");
    }
  }
}
