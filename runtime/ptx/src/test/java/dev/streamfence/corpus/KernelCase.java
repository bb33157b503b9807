package dev.streamfence.corpus;

import dev.streamfence.internal.ptx.syntax.PtxGrid;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One kernel of the corpus with its arguments and the expected buffers, for the simulated device
 * and for a real one.
 *
 * @param file PTX file among the resources of the package {@code ptx}
 * @param arguments a {@code byte[]} is a device buffer with that content; all else is a scalar
 * @param expected what must be in a buffer afterwards, by position of the argument
 */
public record KernelCase(
    String file,
    String entry,
    PtxGrid grid,
    List<Object> arguments,
    Map<Integer, Expectation> expected) {

  /** A device that can run a kernel. */
  @FunctionalInterface
  public interface Device {
    /**
     * Runs an entry and waits for it; buffers among the arguments hold the outcome afterwards.
     *
     * @param ptx the module's text
     */
    void run(String ptx, String entry, PtxGrid grid, List<Object> arguments) throws Exception;
  }

  /** Checks a buffer after the run. */
  @FunctionalInterface
  public interface Expectation {
    /** Throws an {@link AssertionError} with the difference. */
    void check(byte[] actual);
  }

  public static KernelCase of(String file, String entry, PtxGrid grid, Object... arguments) {
    return new KernelCase(file, entry, grid, List.of(arguments), new LinkedHashMap<>());
  }

  public static KernelCase of(
      String file, String entry, int blocks, int threads, Object... arguments) {
    return of(file, entry, new PtxGrid(blocks, 1, 1, threads, 1, 1, 0), arguments);
  }

  public KernelCase expect(int argument, Expectation expectation) {
    expected.put(argument, expectation);
    return this;
  }

  KernelCase fromFile(String other) {
    return new KernelCase(other, entry, grid, arguments, expected);
  }

  /** Runs the kernel on fresh copies of its buffers, and checks them afterwards. */
  public void check(Device device) throws Exception {
    List<Object> fresh = new ArrayList<>();
    for (Object argument : arguments) {
      fresh.add(argument instanceof byte[] buffer ? buffer.clone() : argument);
    }
    device.run(text(file), entry, grid, fresh);
    expected.forEach((index, expectation) -> expectation.check((byte[]) fresh.get(index)));
  }

  /** Returns the text of a file of the corpus. */
  public static String text(String file) {
    try (InputStream in =
        KernelCase.class.getResourceAsStream("/dev/streamfence/internal/ptx/" + file)) {
      if (in == null) {
        throw new IllegalArgumentException("there is no " + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return file + " " + entry;
  }
}
