package dev.streamfence.it.compare;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of the comparison. */
@Command(
    name = "compare",
    sortOptions = false,
    description =
        "Measures the runtime beside C++, plain JCuda, CuPy and PyTorch in interleaved rounds, and"
            + " prints a table. Leaves out what cannot run here.")
final class CompareCommand implements Callable<Integer> {
  // Compiling the C++ opponent and making a million arrays are the longest.
  private static final Duration LIMIT = Duration.ofSeconds(180);

  @Spec private CommandSpec spec;

  @Option(names = "--rounds", description = "How many rounds count. Default: ${DEFAULT-VALUE}.")
  private int rounds = 10;

  @Option(
      names = "--rows",
      description = "A regular expression: only rows are measured whose names have a match.")
  private Pattern rows = Pattern.compile("");

  @Option(names = "--json", description = "The file for all numbers. Default: ${DEFAULT-VALUE}.")
  private Path json = Path.of("compare.json");

  @Option(names = "--commit", description = "What the figures are of; it is kept beside them.")
  private String commit = "";

  @Option(names = "--opponents", description = "The folder of the programs in other languages.")
  private Path opponents = Path.of("compare");

  @Option(names = "--list", description = "Prints the names of the rows, and measures nothing.")
  private boolean list;

  @Option(names = "--help", usageHelp = true, description = "Prints this.")
  private boolean help;

  /**
   * Exits with 1 if nothing was measured or the file cannot be written, and with 2 if an option is
   * wrong.
   */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new CompareCommand()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    if (rounds < 1) {
      throw new ParameterException(spec.commandLine(), "--rounds is " + rounds + ", less than 1");
    }
    PrintStream out = new PrintStream(System.out, true, UTF_8);
    List<Row> selected = Row.ALL.stream().filter(row -> rows.matcher(row.id()).find()).toList();
    if (list) {
      selected.forEach(row -> out.println(row.id() + ": " + row.title()));
      return 0;
    }
    Path work = Files.createTempDirectory("compare");
    List<Opponent> started = new ArrayList<>();
    try {
      start(started, work);
      Report report =
          new Comparison(selected, started, rounds, System.err)
              .run(Machine.here(commit), this::write);
      new Table(report).lines().forEach(out::println);
      return report.rows().isEmpty() ? 1 : 0;
    } finally {
      started.forEach(Opponent::close);
      delete(work);
    }
  }

  private void write(Report report) {
    try {
      report.write(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All start before the first one is asked, so that they become ready at the same time. */
  private void start(List<Opponent> started, Path work) throws IOException {
    Path kernels = extract("compare.ptx", work);
    Path thirty = extract("thirty.ptx", work);
    String cpp =
        "nvcc -O3 -std=c++17 -o \"$1/compare\" \"$0\" -lcuda && exec \"$1/compare\" \"$2\" \"$3\"";
    start(
        started,
        Report.FLOOR,
        List.of(
            "bash",
            "-c",
            cpp,
            in("compare.cpp"),
            work.toString(),
            kernels.toString(),
            thirty.toString()));
    for (RowGroup.Kind kind : RowGroup.Kind.values()) {
      start(started, Report.OURS, java(StreamfenceRows.class, kind.name()));
    }
    start(started, "plain JCuda", java(PlainJCudaRows.class, kernels.toString()));
    for (String library : List.of("CuPy", "PyTorch")) {
      start(
          started,
          library,
          List.of("python3", "-B", in("compare.py"), library, kernels.toString()));
    }
  }

  private String in(String file) {
    return opponents.resolve(file).toString();
  }

  private static void start(List<Opponent> started, String name, List<String> command) {
    try {
      started.add(new ChildProcess(name, command, LIMIT));
    } catch (UncheckedIOException e) {
      System.err.println("left out: " + name + ": " + e.getMessage());
    }
  }

  /** A main class in a Java virtual machine like this one. */
  static List<String> java(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  private static Path extract(String kernels, Path folder) throws IOException {
    try (InputStream ptx =
        Objects.requireNonNull(
            CompareCommand.class.getResourceAsStream("/kernels/" + kernels), kernels)) {
      Path file = folder.resolve(kernels);
      Files.copy(ptx, file);
      return file;
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
