package dev.streamfence.processor;

/** A system property that text from an annotation would change if it ever ran. */
final class Canary {
  /** What would change it, as it stands between the quotes of a Java literal. */
  static final String SHOT = "static { System.setProperty(\\\"canary\\\", \\\"dead\\\"); }";

  private Canary() {}

  /** How it is after a class was initialised: {@code alive} or {@code dead}. */
  static String after(ClassLoader classes, String name) throws ClassNotFoundException {
    System.setProperty("canary", "alive");
    try {
      Class.forName(name, true, classes);
      return System.getProperty("canary");
    } finally {
      System.clearProperty("canary");
    }
  }
}
