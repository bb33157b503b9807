package dev.streamfence.internal.column;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.internal.driver.jcuda.JCudaDevices;
import dev.streamfence.internal.driver.jcuda.Shell;
import dev.streamfence.internal.driver.jcuda.StandIn;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The list of the classes that are loaded while the driver starts: those that a first launch
 * initialises. {@code -Dfirst.launch.classes=<file>} writes the list to a file.
 */
final class FirstLaunchClassesTest {
  private static final Pattern INITIALISED = Pattern.compile("Initializing '([\\w/$]+)'");
  private static final Pattern LOADED = Pattern.compile("(?m)^([\\w.$]+) source:");

  /** A change may add or remove a few before the list is written again. */
  private static final double MOST_DIFFERENT = 0.05;

  private static final Set<CodeSource> OURS =
      Set.of(source(DeviceRuntime.class), source(PtxModule.class));

  @TempDir private Path folder;

  private static CodeSource source(Class<?> type) {
    return type.getProtectionDomain().getCodeSource();
  }

  @BeforeEach
  void skipWithoutAStandIn() {
    StandIn.loaded();
  }

  private static Class<?> loaded(String name) {
    try {
      return Class.forName(name, false, FirstLaunchClassesTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError("there is no class " + name + ": write the list again", e);
    }
  }

  private static List<String> listed() throws IOException {
    try (InputStream in = JCudaDevices.class.getResourceAsStream("first-launch-classes.txt")) {
      return new String(in.readAllBytes(), UTF_8).lines().toList();
    }
  }

  /** The classes of the runtime and the analyser in the log of a process, in order. */
  private List<String> logged(Class<?> process, String tag, Pattern line) throws IOException {
    Path log = folder.resolve("classes.log");
    String flag = "-Xlog:class+" + tag + "=info:file=" + log + ":none:filecount=0";
    Shell.java(folder.toString(), process, flag).run();
    return line.matcher(Files.readString(log))
        .results()
        .map(each -> each.group(1).replace('/', '.'))
        .filter(name -> name.startsWith("dev.streamfence.") && !name.contains("Lambda"))
        .filter(name -> OURS.contains(source(loaded(name))))
        .distinct()
        .toList();
  }

  /** Those that a first launch initialises after the loading has begun. */
  private List<String> initialised() throws IOException {
    return logged(FirstLaunchProcess.class, "init", INITIALISED).stream()
        .dropWhile(name -> !name.endsWith(".FirstLaunchClasses"))
        .skip(1)
        .toList();
  }

  @Test
  void theyAreThoseThatAFirstLaunchInitialises() throws IOException {
    List<String> listed = listed();
    List<String> initialised = initialised();
    String file = System.getProperty("first.launch.classes", "");
    if (!file.isEmpty()) {
      Files.write(Path.of(file), initialised);
    }

    assertThat(listed).doesNotHaveDuplicates().hasSizeGreaterThan(200);
    assertThat(listed).allSatisfy(name -> assertThat(loaded(name)).isNotNull());
    Set<String> missing = new TreeSet<>(initialised);
    listed.forEach(missing::remove);
    assertThat(missing).hasSizeLessThan((int) (MOST_DIFFERENT * initialised.size()));
    Set<String> needless = new TreeSet<>(listed);
    initialised.forEach(needless::remove);
    assertThat(needless).hasSizeLessThan((int) (MOST_DIFFERENT * listed.size()));
  }

  @Test
  void openingADeviceLoadsThem() throws IOException {
    assertThat(logged(FirstLaunchProcess.Opening.class, "load", LOADED)).containsAll(listed());
  }
}
