package dev.streamfence.internal.driver.jcuda;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.simulation.DriverCall;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jcuda.JCudaVersion;
import jcuda.LibUtils;
import jcuda.driver.JCudaDriver;

/**
 * The driver's library of the tests, built by gcc from {@code libcuda.c}, and the desk at which a
 * test tells it what to do. Confined to one test at a time.
 *
 * <p>In this process it is loaded before JCuda's library is, which then is content with it: the
 * dynamic linker knows a library by its name, and {@code libcuda.so.1} is there already.
 */
public final class StandIn {
  /** The kinds of objects that the stand-in counts, in its order. */
  public enum Kind {
    CONTEXT,
    STREAM,
    EVENT,
    MODULE,
    DEVICE_MEMORY,
    HOST_MEMORY,
    FUNCTION,
    GRAPH
  }

  private static final int DESK_BYTES = 1 << 20;
  private static final int NAME_BYTES = 64;
  private static final int SKIPPED = 64;
  private static final int CODE = 68;
  private static final int DEVICES = 72;
  private static final int TRACING = 76;
  private static final int HELD_KERNEL = 80;
  private static final int HELD_MILLIS = 144;
  private static final int PACED_MILLIS = 152;
  private static final int WRONG_CONTEXTS = 160;
  private static final int LIVE = 168;
  private static final int TRACE_LENGTH = LIVE + Kind.values().length * Long.BYTES;
  private static final int TRACE = TRACE_LENGTH + Long.BYTES;

  private final Path folder;
  private final MappedByteBuffer desk;

  private StandIn(Path folder) throws IOException {
    this.folder = folder;
    Path file = folder.resolve("desk");
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      desk = channel.map(FileChannel.MapMode.READ_WRITE, 0, DESK_BYTES);
    }
    desk.order(ByteOrder.nativeOrder());
  }

  private static final class Built {
    static final Path FOLDER = build();
  }

  private static final class Loaded {
    static final StandIn INSTANCE = loadHere();
  }

  /** The stand-in of this process, as good as new. Skips the test where it cannot be built. */
  public static StandIn loaded() {
    assumeBuildable();
    Loaded.INSTANCE.reset();
    return Loaded.INSTANCE;
  }

  /** The folder of a stand-in for other processes. Skips the test where it cannot be built. */
  static Path folder() {
    assumeBuildable();
    return Built.FOLDER;
  }

  private static void assumeBuildable() {
    assumeTrue(
        LibUtils.createPlatformLibraryName("").equals("-linux-x86_64"),
        "the stand-in of the CUDA driver is for linux-x86_64");
    assumeTrue(isThere("gcc") && isThere("nm"), "the stand-in of the CUDA driver needs gcc and nm");
  }

  private static boolean isThere(String tool) {
    try {
      new Shell(tool, "--version").run();
      return true;
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  private static StandIn loadHere() {
    try {
      Path folder = build();
      StandIn standIn = new StandIn(folder);
      System.setProperty("java.io.tmpdir", folder.toString());
      System.load(folder.resolve("libcuda.so.1").toString());
      NativeLibrary.load();
      return standIn;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** JCuda's library, as it lies in its jar. */
  static byte[] jcudaLibrary() {
    try (InputStream in = LibUtils.class.getResourceAsStream("/lib/" + jcudaFileName())) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The name under which JCuda looks for its library. */
  static String jcudaFileName() {
    return LibUtils.createLibraryFileName(
        LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get()));
  }

  private static Path build() {
    try (InputStream source = StandIn.class.getResourceAsStream("libcuda.c")) {
      Path parent = Files.createDirectories(Path.of("target", "stand-in").toAbsolutePath());
      Path folder = Files.createTempDirectory(parent, "build");
      Files.copy(source, folder.resolve("libcuda.c"));
      Path jcuda = Files.write(folder.resolve("jcuda.so"), jcudaLibrary());
      // Whatever JCuda's library asks for, so that it loads also where all is bound at once, and
      // every call of the table.
      String symbols = new Shell("nm", "-D", "--undefined-only", jcuda.toString()).run();
      Files.writeString(
          folder.resolve("other.c"),
          Stream.concat(
                  symbols
                      .lines()
                      .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                      .filter(symbol -> symbol.startsWith("cu")),
                  Stream.of(DriverCall.values()).map(DriverCall::function))
              .distinct()
              .map(StandIn::withoutBody)
              .collect(
                  Collectors.joining(
                      "", "int answer(const char *, int, const char *, ...);\n", "")));
      List<String> command =
          new ArrayList<>(
              List.of("gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread"));
      command.addAll(List.of("-Wl,-soname,libcuda.so.1", "-o", "libcuda.so.1"));
      command.addAll(List.of("libcuda.c", "other.c", "-ldl"));
      new Shell(command).in(folder).run();
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The function behind a symbol if {@code libcuda.c} has none: a call of the table needs a
   * context, is written down and fails as planned; any other answers that it is not supported.
   */
  private static String withoutBody(String symbol) {
    String function = symbol.replaceFirst("_v\\d+$", "");
    boolean isCall =
        Stream.of(DriverCall.values()).anyMatch(call -> call.function().equals(function));
    return "__attribute__((weak)) int %s(void) { return %s; }\n"
        .formatted(symbol, isCall ? "answer(\"" + function + "\", -1, \" \")" : "801");
  }

  /** No failure is planned, no launch held, nothing is traced, JCuda's exception switch is off. */
  public void reset() {
    putName(0, "");
    putName(HELD_KERNEL, "");
    pace(0);
    desk.putInt(DEVICES, 2);
    desk.putInt(TRACING, 0);
    desk.putLong(WRONG_CONTEXTS, 0);
    JCudaDriver.setExceptionsEnabled(false);
  }

  /** Makes each later call of this name return the code. */
  public void fail(String call, int code) {
    fail(call, code, 0);
  }

  /** As {@link #fail(String, int)}, but for the first {@code skipped} calls. */
  void fail(String call, int code, int skipped) {
    putName(0, call);
    desk.putInt(SKIPPED, skipped);
    desk.putInt(CODE, code);
  }

  /** Delays the return of each later launch of this kernel. */
  void hold(String kernel, long millis) {
    desk.putLong(HELD_MILLIS, millis);
    putName(HELD_KERNEL, kernel);
  }

  /** Makes every other launch and every wait for the device take this long. */
  void pace(long millis) {
    desk.putLong(PACED_MILLIS, millis);
  }

  private void putName(int at, String name) {
    desk.put(at, Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), NAME_BYTES));
  }

  void devices(int number) {
    desk.putInt(DEVICES, number);
  }

  /** How many calls came with no context or another device's than theirs. */
  public long wrongContexts() {
    return desk.getLong(WRONG_CONTEXTS);
  }

  public long live(Kind kind) {
    return desk.getLong(LIVE + kind.ordinal() * Long.BYTES);
  }

  /** How many objects of each kind exist, in the order of the kinds. */
  public List<Long> live() {
    return Stream.of(Kind.values()).map(this::live).toList();
  }

  /** The calls that {@code action} led to, one line each: name, current context, details. */
  public List<String> trace(Runnable action) {
    desk.putLong(TRACE_LENGTH, 0);
    desk.putInt(TRACING, 1);
    try {
      action.run();
    } finally {
      desk.putInt(TRACING, 0);
    }
    byte[] text = new byte[(int) desk.getLong(TRACE_LENGTH)];
    desk.get(TRACE, text);
    return new String(text, StandardCharsets.US_ASCII).lines().map(String::strip).toList();
  }

  /** The last of the calls that {@code action} led to. */
  public String lastCall(Runnable action) {
    List<String> trace = trace(action);
    return trace.get(trace.size() - 1);
  }

  @Override
  public String toString() {
    return "stand-in of " + folder;
  }

  /** Turns on JCuda's exceptions, as any library of the process may. */
  void turnExceptionsOn() {
    JCudaDriver.setExceptionsEnabled(true);
  }
}
