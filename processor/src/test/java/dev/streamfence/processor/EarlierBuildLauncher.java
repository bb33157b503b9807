package dev.streamfence.processor;

/** Stands for a launcher that an earlier build has compiled and left on the class path. */
final class EarlierBuildLauncher {
  private EarlierBuildLauncher() {}
}
