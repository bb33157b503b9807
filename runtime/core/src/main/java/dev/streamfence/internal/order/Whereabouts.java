package dev.streamfence.internal.order;

import java.util.Set;

/** Tells whether another thread is inside the runtime. */
final class Whereabouts {
  /** The packages from which a thread may be about to call the driver. */
  private static final Set<String> INSIDE =
      Set.of(
          "dev.streamfence",
          "dev.streamfence.foreign",
          "dev.streamfence.launch",
          "dev.streamfence.memory",
          "dev.streamfence.internal.order",
          "dev.streamfence.internal.recording",
          "dev.streamfence.internal.memory",
          "dev.streamfence.internal.driver",
          "dev.streamfence.internal.driver.jcuda",
          "dev.streamfence.internal.simulator",
          "jcuda.driver");

  /**
   * The classes that users' calls come through. By name, since tests share their packages, and a
   * thread of a test may do something else.
   */
  private static final Set<String> ENTRANCES =
      Set.of(
          "dev.streamfence.internal.completion.Tracked",
          "dev.streamfence.internal.device.Tracked",
          "dev.streamfence.internal.graph.Tracked",
          "dev.streamfence.internal.launch.Tracked");

  private Whereabouts() {}

  /** Whether a thread is running any method of the runtime. Stops the thread for a moment. */
  static boolean isInside(Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      String name = frame.getClassName();
      int dot = name.lastIndexOf('.');
      if ((dot > 0 && INSIDE.contains(name.substring(0, dot)))
          || ENTRANCES.stream().anyMatch(name::startsWith)) {
        return true;
      }
    }
    return false;
  }
}
