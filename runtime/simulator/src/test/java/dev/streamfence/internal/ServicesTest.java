package dev.streamfence.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServicesTest {
  @TempDir private Path folder;

  @Test
  void aMissingImplementationIsNamedWithItsArtifact() {
    assertThatThrownBy(() -> create(SimulatedDevice.Builder.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "no implementation of dev.streamfence.simulation.SimulatedDevice$Builder is on the class path"
                + " or module path: add the dependency dev.streamfence:artifact, in test scope if only"
                + " tests use it; a jar that repackages it must keep"
                + " META-INF/services/dev.streamfence.simulation.SimulatedDevice$Builder");
  }

  @Test
  void withoutTheSimulatorItsArtifactIsNamed() throws Exception {
    try (Repackaged loader = new Repackaged(SimulatedDevice.Builder.class, List.of())) {
      Class<?> runtime = loader.loadClass(DeviceRuntime.class.getName());
      assertThatThrownBy(() -> runtime.getMethod("simulated").invoke(null))
          .cause()
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("add the dependency dev.streamfence:streamfence-simulator");
    }
  }

  @Test
  void anImplementationOfTheContextLoaderIsFound() throws Throwable {
    try (Repackaged above = new Repackaged(Greeter.class, List.of());
        URLClassLoader below =
            new URLClassLoader(new URL[0], above) {
              @Override
              public Enumeration<URL> findResources(String name) throws IOException {
                return name.equals(above.file)
                    ? Collections.enumeration(List.of(fileThatNames(First.class).toUri().toURL()))
                    : super.findResources(name);
              }
            }) {
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(below);
      try {
        Object created = create(above, Greeter.class);
        assertThat(created.getClass().getName()).isEqualTo(First.class.getName());
      } finally {
        thread.setContextClassLoader(before);
      }
    }
  }

  @Test
  void twoImplementationsAreRefusedWithTheFilesThatNameThem() throws IOException {
    Path first = fileThatNames(First.class);
    Path second = fileThatNames(Second.class);

    assertThatThrownBy(() -> create(Greeter.class, first, second))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "2 implementations of %s are on the class path: [%s, %s]; remove all but one from [%s, %s]",
            Greeter.class.getName(),
            First.class.getName(),
            Second.class.getName(),
            first.toUri().toURL(),
            second.toUri().toURL());
  }

  @Test
  void oneImplementationThatTwoFilesNameIsCreated() throws Throwable {
    Object created = create(Greeter.class, fileThatNames(First.class), fileThatNames(First.class));

    assertThat(created.getClass().getName()).isEqualTo(First.class.getName());
  }

  private Path fileThatNames(Class<?> implementation) throws IOException {
    return Files.writeString(Files.createTempFile(folder, "service", ""), implementation.getName());
  }

  /** Calls {@link Services#create} where these files name the implementations of the service. */
  private static Object create(Class<?> service, Path... files) throws Throwable {
    try (Repackaged loader = new Repackaged(service, List.of(files))) {
      return create(loader, service);
    }
  }

  private static Object create(ClassLoader loader, Class<?> service) throws Throwable {
    try {
      return loader
          .loadClass(Services.class.getName())
          .getMethod("create", Class.class, String.class)
          .invoke(null, loader.loadClass(service.getName()), "dev.streamfence:artifact");
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  public interface Greeter {}

  public static final class First implements Greeter {}

  public static final class Second implements Greeter {}

  /** Has the classes of this class path anew, and other files for one service. */
  private static final class Repackaged extends URLClassLoader {
    private final String file;
    private final List<Path> files;

    Repackaged(Class<?> service, List<Path> files) throws IOException {
      super(classPath(), ClassLoader.getPlatformClassLoader());
      file = "META-INF/services/" + service.getName();
      this.files = files;
    }

    private static URL[] classPath() throws IOException {
      List<URL> urls = new ArrayList<>();
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
        urls.add(Path.of(entry).toUri().toURL());
      }
      return urls.toArray(new URL[0]);
    }

    @Override
    public Enumeration<URL> findResources(String name) throws IOException {
      if (!name.equals(file)) {
        return super.findResources(name);
      }
      List<URL> urls = new ArrayList<>();
      for (Path each : files) {
        urls.add(each.toUri().toURL());
      }
      return Collections.enumeration(urls);
    }
  }
}
