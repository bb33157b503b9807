package dev.streamfence.processor.compile;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One run of a program that has ended. Immutable.
 *
 * @param exit its exit code
 * @param output the beginning of what it wrote, errors included
 */
record ProcessRun(int exit, String output) {
  /** More than messages of any use have; the rest is read and dropped. */
  private static final int MAX_OUTPUT = 1 << 18;

  /** How long the output of an ended program may still arrive, from programs that it has left. */
  private static final long REST_MILLIS = 2000;

  /**
   * Runs a program to its end, without input.
   *
   * @param folder the folder that it runs in
   * @throws IOException if it cannot be started, or does not end in time; it is then stopped
   */
  static ProcessRun of(List<String> command, Path folder, int seconds) throws IOException {
    Process process = start(command, folder);
    StringBuilder output = new StringBuilder();
    Thread reader = new Thread(() -> read(process.getInputStream(), output), "compiler-output");
    reader.setDaemon(true);
    reader.start();
    try {
      process.getOutputStream().close();
      if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
        throw new IOException("it has not ended after " + seconds + " seconds");
      }
      reader.join(REST_MILLIS);
      synchronized (output) {
        return new ProcessRun(process.exitValue(), output.toString());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the Java compiler was interrupted", e);
    } finally {
      // A driver program leaves the compilers that it has started.
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static Process start(List<String> command, Path folder) throws IOException {
    try {
      return new ProcessBuilder(command)
          .directory(folder.toFile())
          .redirectErrorStream(true)
          .start();
    } catch (IOException e) {
      // Each JDK says this in other words.
      throw new IOException("it cannot be started; name a program on the path, or its file", e);
    }
  }

  private static void read(InputStream from, StringBuilder output) {
    // One for all: a character may lie in the bytes of two reads.
    Reader reader = new InputStreamReader(from, StandardCharsets.UTF_8);
    char[] characters = new char[1 << 13];
    int kept = 0;
    try {
      for (int count = reader.read(characters); count >= 0; count = reader.read(characters)) {
        if (kept < MAX_OUTPUT) {
          kept += count;
          synchronized (output) {
            output.append(characters, 0, count);
          }
        }
      }
    } catch (IOException e) {
      // The program was stopped; what it has said before counts.
      return;
    }
  }
}
