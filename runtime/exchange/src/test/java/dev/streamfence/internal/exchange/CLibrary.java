package dev.streamfence.internal.exchange;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import dev.streamfence.internal.driver.jcuda.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A library in C, which gcc compiles for the tests. They are skipped without gcc. */
public final class CLibrary {
  private static final List<String> FLAGS =
      List.of("-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread");

  private final NativeLibrary library;

  private CLibrary(NativeLibrary library) {
    this.library = library;
  }

  /** Compiles and loads a library of this package's resources, anew for each call. */
  public static CLibrary load(String source) {
    Path folder = folder(source);
    gcc(folder, List.of("-shared", "-fPIC", "-o", "library.so", source));
    return new CLibrary(NativeLibrary.getInstance(folder.resolve("library.so").toString()));
  }

  /** Compiles and runs a program of this package's resources; what it prints. */
  static String run(String source) {
    Path folder = folder(source);
    gcc(folder, List.of("-o", "program", source));
    return new Shell(folder.resolve("program").toString()).run();
  }

  private static void gcc(Path folder, List<String> arguments) {
    List<String> command = new java.util.ArrayList<>(List.of("gcc"));
    command.addAll(FLAGS);
    command.addAll(arguments);
    new Shell(command).in(folder).run();
  }

  private static Path folder(String source) {
    assumeTrue(hasGcc(), "this test needs gcc");
    try {
      Path parent = Files.createDirectories(Path.of("target", "exchange").toAbsolutePath());
      Path folder = Files.createTempDirectory(parent, "build");
      for (String file : List.of("abi.h", source)) {
        try (InputStream in = CLibrary.class.getResourceAsStream(file)) {
          Files.copy(in, folder.resolve(file));
        }
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean hasGcc() {
    try {
      new Shell("gcc", "--version").run();
      return true;
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  /** Calls a function that returns an {@code int}. */
  public int callInt(String function, Object... arguments) {
    return function(function).invokeInt(arguments);
  }

  /** Calls a function that returns an address. */
  public long callAddress(String function, Object... arguments) {
    return Pointer.nativeValue(function(function).invokePointer(arguments));
  }

  /** Calls a function that returns a {@code double}. */
  public double callDouble(String function, Object... arguments) {
    return function(function).invokeDouble(arguments);
  }

  private Function function(String name) {
    return library.getFunction(name);
  }
}
