package dev.streamfence.internal.driver.jcuda;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * Loads the classes of a first launch while the driver opens a device. That takes a fifth of a
 * second, in which the opening thread waits in native code; meanwhile, another one reads and
 * verifies the classes, which takes half as long. Thread-safe.
 */
final class FirstLaunchClasses {
  /** Their names, in the order in which a launch needs them; one that is missing is passed over. */
  private static final String NAMES = "first-launch-classes.txt";

  static {
    EarlyThread.start(
        new Thread(FirstLaunchClasses::load, "loading the classes of a first launch"));
  }

  private FirstLaunchClasses() {}

  /** Begins to load them, once in a process. Does not wait. */
  static void begin() {
    // The first caller initialises this class.
  }

  private static void load() {
    names().forEach(FirstLaunchClasses::link);
    try {
      // Finds and loads the provider of the hash by which a launcher knows its code.
      MessageDigest.getInstance("SHA-256").digest(new byte[0]);
    } catch (NoSuchAlgorithmException e) {
      // A launch that needs it says what is wrong.
    }
  }

  /** The names; none where resources are left out, as in a native image. */
  private static List<String> names() {
    try (InputStream in = FirstLaunchClasses.class.getResourceAsStream(NAMES)) {
      return in == null
          ? List.of()
          : new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).lines().toList();
    } catch (IOException | UncheckedIOException | LinkageError e) {
      return List.of();
    }
  }

  @SuppressWarnings("ReturnValueIgnored") // To ask is enough.
  private static void link(String name) {
    try {
      Class<?> found = Class.forName(name, false, FirstLaunchClasses.class.getClassLoader());
      // Java verifies a class when it is asked for what the class declares; to initialise it here
      // could wait for the launch, and the launch for it.
      found.getDeclaredConstructors();
    } catch (ClassNotFoundException | LinkageError | SecurityException e) {
      // A launch that needs it says what is wrong.
    }
  }
}
