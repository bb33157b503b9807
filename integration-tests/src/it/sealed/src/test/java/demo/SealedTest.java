package demo;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.streamfence.DeviceRuntime;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SealedTest {
  private static final String INTRUDER = "dev.streamfence.launch.Intruder";
  private static final String PEEKER = "dev.streamfence.memory.Peeker";

  @Test
  void aClassInOneOfItsPackagesIsNotLoadedBesideTheJar() {
    DeviceRuntime.simulated().close();

    SecurityException refusal =
        assertThrows(SecurityException.class, () -> Class.forName(PEEKER));

    assertTrue(refusal.getMessage().contains("sealed"), refusal.getMessage());
  }

  @Test
  void aClassThatIsLoadedAfterTheLauncherIsRefused() throws Exception {
    try (URLClassLoader loader = freshLoader()) {
      loader.loadClass("dev.streamfence.launch.LaunchRecorder");

      assertThrows(SecurityException.class, () -> loader.loadClass(INTRUDER));
    }
  }

  @Test
  void aClassThatIsLoadedBeforeTheRuntimeCannotCallPackagePrivateMembers() throws Exception {
    try (URLClassLoader loader = freshLoader()) {
      Class<?> peeker = loader.loadClass(PEEKER);

      assertInstanceOf(SecurityException.class, failureOf(peeker, "log"));
    }
  }

  private static Throwable failureOf(Class<?> type, String method) {
    return assertThrows(
            InvocationTargetException.class, () -> type.getMethod(method).invoke(null))
        .getCause();
  }

  /** The same class path, of which nothing has been loaded yet. */
  private static URLClassLoader freshLoader() throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      urls.add(url(entry));
    }
    return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
  }

  private static URL url(String entry) throws MalformedURLException {
    return new File(entry).toURI().toURL();
  }
}
