package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.LogTopic;

/**
 * The fastest calls of a launch that this JVM has at the moment. Java 22 and later call native
 * functions without JNI, and without JCuda's reading of the fields of each handle; but to link them
 * takes Java a tenth of a second, for which no launch waits. Thread-safe. Use it after {@link
 * NativeLibrary#load}.
 */
final class FastestLaunchCalls {
  private static volatile LaunchCalls calls = new LaunchCalls.ThroughJCuda();

  static {
    if (areForeignAllowed()) {
      EarlyThread.start(new Thread(FastestLaunchCalls::link, "linking the calls of launches"));
    }
  }

  private FastestLaunchCalls() {}

  /** Begins to link faster calls, once in a process. Does not wait. */
  static void begin() {
    // The first caller initialises this class.
  }

  /** The calls to make now. */
  static LaunchCalls now() {
    return calls;
  }

  private static boolean areForeignAllowed() {
    try {
      return ForeignFunctions.areAllowed();
    } catch (LinkageError e) {
      // A native image may refuse the question.
      return false;
    }
  }

  private static void link() {
    try {
      calls = new ForeignLaunchCalls();
    } catch (LinkageError e) {
      LogTopic.DEVICES.info("launches go through JNI: " + e);
    }
  }
}
