package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.DeviceException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import jcuda.CudaException;
import jcuda.JCudaVersion;
import jcuda.LibUtils;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * JCuda's native library and the CUDA driver's own library: found, checked and loaded once per
 * process, before any class of JCuda that needs them. Thread-safe.
 *
 * <p>JCuda itself searches {@code java.library.path}, then unpacks its library to a fixed name in
 * {@code java.io.tmpdir} unless that file already exists, and loads the file. Processes that start
 * together can thus load each other's half-written files, a truncated file fails forever, and any
 * user of a shared folder can plant a library there. This class therefore puts the file in place
 * atomically and compares it with the one in the jar.
 */
final class NativeLibrary {
  private static final boolean WINDOWS =
      System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");

  /** The platforms that JCuda has natives for: the classifiers of their jars. */
  private static final Set<String> PLATFORMS = Set.of("linux-x86_64", "windows-x86_64");

  /** The library that JCuda loads as the driver. */
  static final String CUDA = WINDOWS ? "nvcuda.dll" : "libcuda.so.1";

  private NativeLibrary() {}

  /**
   * Why there is no driver. A class of JCuda that failed to load once never loads again.
   *
   * @param leftOut whether only a jar of JCuda is missing, which the build can add
   */
  private record Failure(String message, @Nullable Throwable cause, boolean leftOut) {}

  private static final class Outcome {
    static final @Nullable Failure FAILURE = attempt();
  }

  /**
   * Loads both libraries unless already done.
   *
   * @throws DeviceException if a library is missing; the message says what was looked for, and is
   *     the same each time
   */
  static void load() {
    Failure failure = Outcome.FAILURE;
    if (failure != null) {
      throw new DeviceException(failure.message, failure.cause);
    }
  }

  /** Whether loading fails because the build left out the jar for this platform. */
  static boolean isLeftOut() {
    Failure failure = Outcome.FAILURE;
    return failure != null && failure.leftOut;
  }

  private static @Nullable Failure attempt() {
    String name = LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get());
    try {
      if (!isOnLibraryPath(name)) {
        byte[] library = resource(name);
        if (library == null) {
          return new Failure(explainAbsence(name), null, PLATFORMS.contains(platform(name)));
        }
        new LibraryFile(temporaryFolder(), LibUtils.createLibraryFileName(name), library).place();
      }
    } catch (DeviceException e) {
      return new Failure(String.valueOf(e.getMessage()), e.getCause(), false);
    }
    return initialize(name);
  }

  /** Where JCuda looks first; a library there was put there on purpose. */
  private static boolean isOnLibraryPath(String name) {
    String file = System.mapLibraryName(name);
    for (String folder :
        System.getProperty("java.library.path", "").split(File.pathSeparator, -1)) {
      if (new File(folder, file).isFile()) {
        return true;
      }
    }
    return false;
  }

  private static byte @Nullable [] resource(String name) {
    String resource = resourceName(name);
    // By JCuda's class loader, which sees its natives: in a named module, the class itself would
    // see only those in its own jar.
    ClassLoader loader = LibUtils.class.getClassLoader();
    try (InputStream in = loader.getResourceAsStream(resource.substring(1))) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new DeviceException("JCuda's native library cannot be read: " + resource, e);
    }
  }

  private static String resourceName(String name) {
    return "/lib/" + LibUtils.createLibraryFileName(name);
  }

  private static String explainAbsence(String name) {
    String natives = "org.jcuda:jcuda-natives:" + JCudaVersion.get();
    String platform = platform(name);
    return "no CUDA binding for "
        + platform()
        + ": looked for "
        + resourceName(name)
        + " on the class path and for "
        + System.mapLibraryName(name)
        + " on java.library.path; "
        + (PLATFORMS.contains(platform)
            ? "add " + natives + ":" + platform + " to the class path"
            : natives + " has it for linux-x86_64 and windows-x86_64 only")
        + ", or use the simulated device";
  }

  /** JCuda's name for the platform, with which the library's name ends. */
  private static String platform(String name) {
    return name.substring(("JCudaDriver-" + JCudaVersion.get() + "-").length());
  }

  /**
   * The folder that JCuda will use. Makes a relative folder absolute for the whole process, because
   * JCuda would pass it on unchanged and only an absolute path can be loaded. That changes nothing
   * else: a Java process cannot change its working directory.
   */
  private static Path temporaryFolder() {
    Path folder = Path.of(System.getProperty("java.io.tmpdir", ""));
    if (!folder.isAbsolute()) {
      folder = folder.toAbsolutePath();
      System.setProperty("java.io.tmpdir", folder.toString());
    }
    try {
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw LibraryFile.unusable(folder, e);
    }
  }

  private static @Nullable Failure initialize(String name) {
    try {
      Class.forName(JCudaDriver.class.getName(), true, NativeLibrary.class.getClassLoader());
      return null;
    } catch (LinkageError | CudaException | ClassNotFoundException e) {
      return new Failure(explain(name, reason(e)), e, false);
    }
  }

  private static String explain(String name, String reason) {
    if (reason.contains("another classloader")) {
      return "JCuda's native library is in use by another class loader of this process ("
          + reason
          + "); Java allows one, so put JCuda where both find it";
    }
    // Windows does not tell which library is missing.
    if (WINDOWS || reason.contains(CUDA)) {
      return "no CUDA driver on "
          + platform()
          + ": looked for "
          + CUDA
          + " by way of "
          + name
          + " ("
          + reason
          + "); install the NVIDIA driver, or use the simulated device";
    }
    return "JCuda's native library "
        + name
        + " does not load on "
        + platform()
        + " ("
        + reason
        + "); if its folder is the reason, start Java with -Djava.io.tmpdir=<a folder from which"
        + " programs may run>, else use the simulated device";
  }

  /**
   * The dynamic linker's last message. JCuda wraps it in a page of text that ends with the last
   * attempt.
   */
  private static String reason(Throwable error) {
    String mark = UnsatisfiedLinkError.class.getSimpleName() + ": ";
    return String.valueOf(error.getMessage())
        .lines()
        .filter(line -> line.contains(mark))
        .map(line -> line.substring(line.indexOf(mark) + mark.length()).strip())
        .reduce((first, second) -> second)
        .orElse(error.toString());
  }

  private static String platform() {
    return System.getProperty("os.name") + " " + System.getProperty("os.arch");
  }
}
