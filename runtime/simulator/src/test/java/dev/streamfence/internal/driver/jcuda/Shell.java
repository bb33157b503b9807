package dev.streamfence.internal.driver.jcuda;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of a test, with its standard output and errors together. */
public final class Shell {
  private static final int TIMEOUT_SECONDS = 120;

  private final ProcessBuilder builder;

  public Shell(String... command) {
    this(List.of(command));
  }

  public Shell(List<String> command) {
    builder = new ProcessBuilder(command).redirectErrorStream(true);
  }

  /** A Java like this one, on the same class path, whose temporary folder is {@code temporary}. */
  public static Shell java(String temporary, Class<?> main, String... flags) {
    return java(System.getProperty("java.class.path"), temporary, main, flags);
  }

  /** A Java like this one, on another class path. */
  public static Shell java(String classPath, String temporary, Class<?> main, String... flags) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    // Java warns in the output if the file for its counters has the number of another process.
    command.add("-XX:-UsePerfData");
    if (Runtime.version().feature() >= 24) {
      // Keeps Java's own warning out of the output.
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.add("-Djava.io.tmpdir=" + temporary);
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", classPath, main.getName()));
    return new Shell(command);
  }

  public Shell in(Path folder) {
    builder.directory(folder.toFile());
    return this;
  }

  /** Sets the folder that the dynamic linker searches first. */
  Shell linkingFrom(Path folder) {
    return with("LD_LIBRARY_PATH", folder.toString());
  }

  /** Sets a variable of its environment. */
  Shell with(String variable, String value) {
    builder.environment().put(variable, value);
    return this;
  }

  Process start() {
    try {
      return builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null"))).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs it; its output, if it ends with 0. */
  public String run() {
    return await(start());
  }

  static String await(Process process) {
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new AssertionError(process.info().commandLine() + ": " + output);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      process.destroyForcibly();
    }
  }
}
