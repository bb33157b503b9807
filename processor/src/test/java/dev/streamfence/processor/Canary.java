package dev.streamfence.processor;

/** A system property that code from an annotation would change if it ran. */
final class Canary {
  /** The code that would change it, as text between the quotes of a Java literal. */
  static final String SHOT = "static { System.setProperty(\\\"canary\\\", \\\"dead\\\"); }";

  private Canary() {}

  /** Its value after a class was initialised: {@code alive} or {@code dead}. */
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
