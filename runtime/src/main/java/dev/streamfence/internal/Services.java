package dev.streamfence.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.ServiceLoader;

/** Finds the one implementation of a service, which may be in another jar. Thread-safe. */
public final class Services {
  private static final ClassValue<ServiceLoader.Provider<?>> PROVIDERS =
      new ClassValue<>() {
        @Override
        protected ServiceLoader.Provider<?> computeValue(Class<?> service) {
          List<? extends ServiceLoader.Provider<?>> found =
              ServiceLoader.load(service, service.getClassLoader()).stream().toList();
          if (found.size() != 1) {
            throw new IllegalStateException(explain(service, found));
          }
          return found.get(0);
        }
      };

  private static String explain(Class<?> service, List<? extends ServiceLoader.Provider<?>> found) {
    String file = "META-INF/services/" + service.getName();
    if (found.isEmpty()) {
      return "no implementation of "
          + service.getName()
          + " is on the class path: "
          + file
          + " is missing; a jar that repackages the runtime must keep it";
    }
    return found.size()
        + " implementations of "
        + service.getName()
        + " are on the class path: "
        + found.stream().map(provider -> provider.type().getName()).sorted().toList()
        + "; remove all but one from "
        + placesOf(file, service.getClassLoader());
  }

  private static List<URL> placesOf(String file, ClassLoader loader) {
    try {
      return Collections.list(loader.getResources(file));
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
  }

  private Services() {}

  /**
   * A new instance of the one implementation of a service.
   *
   * @throws IllegalStateException if there is none, or more than one
   */
  public static <T> T create(Class<T> service) {
    return service.cast(PROVIDERS.get(service).get());
  }
}
