package dev.streamfence.processor.model;

import java.util.List;

/**
 * The name of a class: its package, empty for the unnamed one, and its simple names, outermost
 * class first. Invariant: there is at least one simple name. Immutable.
 */
public record QualifiedName(String packageName, List<String> simpleNames) {
  public QualifiedName {
    simpleNames = List.copyOf(simpleNames);
    if (simpleNames.isEmpty()) {
      throw new IllegalArgumentException("a class in " + packageName + " has no name");
    }
  }

  /** The name within the outermost class's package, {@code Outer.Inner}. */
  public String nameInPackage() {
    return String.join(".", simpleNames);
  }

  /** The canonical name, {@code demo.Outer.Inner}. */
  public String canonical() {
    return packageName.isEmpty() ? nameInPackage() : packageName + "." + nameInPackage();
  }

  /** The name of the launcher of this interface, {@code demo.Outer_InnerLauncher}. */
  public QualifiedName launcher() {
    return new QualifiedName(packageName, List.of(String.join("_", simpleNames) + "Launcher"));
  }
}
