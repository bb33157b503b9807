package dev.streamfence.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Finds the one implementation of a service, by the class loader of the service or else by the
 * context loader of the thread. Thread-safe.
 */
public final class Services {
  private static final ClassValue<List<? extends ServiceLoader.Provider<?>>> PROVIDERS =
      new ClassValue<>() {
        @Override
        protected List<? extends ServiceLoader.Provider<?>> computeValue(Class<?> service) {
          return ServiceLoader.load(service, service.getClassLoader()).stream().toList();
        }
      };

  private static List<? extends ServiceLoader.Provider<?>> ofContextLoader(Class<?> service) {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    try {
      // Another loader's runtime may have the same names.
      if (context != null && context.loadClass(service.getName()) == service) {
        return ServiceLoader.load(service, context).stream().toList();
      }
    } catch (ClassNotFoundException e) {
      // It does not know the runtime.
    }
    return List.of();
  }

  private static String explain(
      Class<?> service, String artifact, List<? extends ServiceLoader.Provider<?>> found) {
    String file = "META-INF/services/" + service.getName();
    if (found.isEmpty()) {
      return "no implementation of "
          + service.getName()
          + " is on the class path or module path: add the dependency "
          + artifact
          + ", in test scope if only tests use it; a jar that repackages it must keep "
          + file;
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
   * @param artifact what to add where there is none
   * @throws IllegalStateException if there is none, or more than one
   */
  public static <T> T create(Class<T> service, String artifact) {
    List<? extends ServiceLoader.Provider<?>> found = PROVIDERS.get(service);
    if (found.isEmpty()) {
      // In a container, the application may bring it, below the loader of the runtime.
      found = ofContextLoader(service);
    }
    if (found.size() != 1) {
      PROVIDERS.remove(service);
      throw new IllegalStateException(explain(service, artifact, found));
    }
    return service.cast(found.get(0).get());
  }
}
