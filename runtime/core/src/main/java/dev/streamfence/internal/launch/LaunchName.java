package dev.streamfence.internal.launch;

import dev.streamfence.launch.KernelSignature;
import java.util.Objects;

/**
 * How observers name the launches of a recorder. Immutable.
 *
 * @param name the method that declares the kernel, or else the entry point
 * @param qualified the method with its interface, or else the entry point
 * @param entry the entry point if it has another name than the method; empty if not
 */
record LaunchName(String name, String qualified, String entry) {
  static LaunchName of(KernelSignature signature) {
    return new LaunchName(signature.entry(), signature.entry(), "");
  }

  static LaunchName of(KernelSignature signature, Class<?> declaring, String method) {
    Objects.requireNonNull(declaring, "declaring");
    Objects.requireNonNull(method, "method");
    String entry = signature.entry();
    return new LaunchName(
        method, declaring.getSimpleName() + "." + method, entry.equals(method) ? "" : entry);
  }

  /** What there is to say of a launch with a shape. */
  String detail(String shape) {
    return entry.isEmpty() ? shape : shape + ", entry " + entry;
  }
}
