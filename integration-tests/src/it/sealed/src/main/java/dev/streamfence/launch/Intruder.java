package dev.streamfence.launch;

/** A class in a package of the runtime. */
public final class Intruder {
  private Intruder() {}
}
