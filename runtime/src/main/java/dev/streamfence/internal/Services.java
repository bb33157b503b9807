package dev.streamfence.internal;

import java.util.List;
import java.util.ServiceLoader;

/**
 * Finds the implementations of exported types, which the exported packages do not name, so that
 * dependencies lead from the implementations to them and never back. Thread-safe.
 */
public final class Services {
  private static final ClassValue<ServiceLoader.Provider<?>> PROVIDERS =
      new ClassValue<>() {
        @Override
        protected ServiceLoader.Provider<?> computeValue(Class<?> service) {
          List<? extends ServiceLoader.Provider<?>> found =
              ServiceLoader.load(service, service.getClassLoader()).stream().toList();
          if (found.size() != 1) {
            throw new IllegalStateException(
                "there are "
                    + found.size()
                    + " implementations of "
                    + service.getName()
                    + " on the class path instead of 1; a jar that repackages the runtime must keep"
                    + " META-INF/services/"
                    + service.getName());
          }
          return found.get(0);
        }
      };

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
