package dev.streamfence.internal.device;

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

/** Ends once a class loader of its own, in which it has used the library, is collected. */
final class DroppedLoaderProgram {
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

  private DroppedLoaderProgram() {}

  public static void main(String[] arguments) throws Exception {
    WeakReference<ClassLoader> loader = runInAnotherLoader();
    if (new Last("one").equals(new Last("another"))) {
      throw new IllegalStateException("two names are equal");
    }
    while (loader.get() != null) {
      System.gc();
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }
}
