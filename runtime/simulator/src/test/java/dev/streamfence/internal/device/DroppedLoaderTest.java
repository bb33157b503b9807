package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The library in a class loader of its own, as in a container of applications. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DroppedLoaderTest {
  /** What an application does in the other class loader. */
  public static final class Application implements Runnable {
    @Override
    public void run() {
      try (DeviceRuntime gpu = DeviceRuntime.simulated()) {
        DeviceStream stream = gpu.streams().acquire();
        try (PinnedArray<int[]> pinned = gpu.memory().pinned(int[].class, 4)) {
          pinned.put(0, new int[] {1});
        }
        try (DeviceArray<int[]> array = gpu.memory().upload(stream, new int[3])) {
          array.downloadLater(stream).value();
        }
      }
    }
  }

  /**
   * Compared last: Java 17 keeps the class of the component that the last record to be prepared for
   * comparisons has.
   */
  private record Last(String component) {}

  private static WeakReference<ClassLoader> runInAnotherLoader() throws Exception {
    List<URL> classPath = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      classPath.add(Path.of(entry).toUri().toURL());
    }
    try (URLClassLoader loader =
        new URLClassLoader(classPath.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(loader);
      try {
        Class<?> application = loader.loadClass(Application.class.getName());
        ((Runnable) application.getConstructor().newInstance()).run();
      } finally {
        thread.setContextClassLoader(before);
      }
      return new WeakReference<>(loader);
    }
  }

  @Test
  void aLoaderWithTheLibraryIsCollectedOnceItsRuntimesAreClosed() throws Exception {
    WeakReference<ClassLoader> loader = runInAnotherLoader();
    assertThat(new Last("one")).isNotEqualTo(new Last("another"));
    while (loader.get() != null) {
      System.gc();
      TimeUnit.MILLISECONDS.sleep(20);
    }
    assertThat(loader.get()).isNull();
  }
}
