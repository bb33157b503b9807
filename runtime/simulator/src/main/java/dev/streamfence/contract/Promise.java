package dev.streamfence.contract;

/** One promise of a contract, and the test that finds it broken. Immutable. */
public final class Promise {
  private final String name;
  private final Runnable test;

  Promise(String name, Runnable test) {
    this.name = name;
    this.test = test;
  }

  /** The promise in words, for example as the name of a dynamic test of JUnit. */
  public String name() {
    return name;
  }

  /**
   * Tests the promise, which takes up to a few seconds.
   *
   * @throws AssertionError if the promise is broken: names the promise and the attempt, which is
   *     the same each time; the cause is the error that occurred
   */
  public void check() {
    test.run();
  }

  @Override
  public String toString() {
    return name;
  }
}
