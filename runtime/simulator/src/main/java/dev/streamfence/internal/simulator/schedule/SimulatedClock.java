package dev.streamfence.internal.simulator.schedule;

/**
 * The host's clock as a program would see it whose kernels ran on a GPU: it stands still while the
 * simulation carries out work, and when the host has waited for work it is not behind the device.
 * Thread-safe; never goes back.
 */
public final class SimulatedClock {
  private long carriedOut;
  private long pausedAt;
  private boolean isPaused;

  /** Nanoseconds, comparable with each other only. */
  public synchronized long nanoTime() {
    return (isPaused ? pausedAt : System.nanoTime()) - carriedOut;
  }

  /** Stops the clock. Held: the driver's lock, so that no other thread has stopped it. */
  public synchronized void pause() {
    pausedAt = System.nanoTime();
    isPaused = true;
  }

  /** Sets the clock to at least a time at which the host has seen something happen. */
  public synchronized void comeTo(long nanos) {
    carriedOut -= Math.max(0, nanos - nanoTime());
  }

  /** Lets the clock go on. */
  public synchronized void resume() {
    carriedOut += System.nanoTime() - pausedAt;
    isPaused = false;
  }
}
