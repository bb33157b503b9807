package dev.streamfence.processor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * An interface in {@code src/test/resources/golden} and its launcher.
 *
 * @param folder where both lie
 * @param type the interface, or what it is a member of
 * @param launcher the launcher's simple name
 */
record Golden(String folder, String type, String launcher) {
  private static final Path GOLDENS = Path.of("src/test/resources/golden");

  static List<Golden> all() {
    return List.of(
        new Golden("vector", "VectorKernels", "VectorKernelsLauncher"),
        new Golden("reduce", "ReduceKernels", "ReduceKernelsLauncher"),
        new Golden("nested", "Engine", "Engine_KernelsLauncher"),
        new Golden("unnamed", "Rootless", "RootlessLauncher"),
        new Golden("inherited", "FastFloats", "FastFloatsLauncher"),
        new Golden("symbols", "Filters", "FiltersLauncher"),
        new Golden("names", "Access", "AccessLauncher"),
        new Golden("readable", "ShareKernels", "ShareKernelsLauncher"),
        new Golden("columns", "OrderKernels", "OrderKernelsLauncher"),
        new Golden("tables", "ProjectKernels", "ProjectKernelsLauncher"),
        new Golden("values", "Particles", "ParticlesLauncher"));
  }

  /** The file with the interface. */
  Path source() {
    return GOLDENS.resolve(folder).resolve(type + ".java");
  }

  /** The file with the launcher. */
  Path expected() {
    return GOLDENS.resolve(folder).resolve(launcher + ".java");
  }

  /** The launcher's name with its package. */
  String qualifiedLauncher() throws IOException {
    return Files.readString(source()).startsWith("package demo;") ? "demo." + launcher : launcher;
  }

  @Override
  public String toString() {
    return folder;
  }
}
