package dev.streamfence.internal.launch;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.internal.ptx.bounds.BoundsEvaluator;
import dev.streamfence.internal.ptx.bounds.LaunchBounds;
import dev.streamfence.internal.ptx.bounds.ReachedAccess;
import dev.streamfence.internal.ptx.check.DeclaredArrays;
import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.StructLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The bounds of a kernel, with the names that its interface gives to the parameters. Immutable. */
final class LoadedBounds {
  private final KernelSignature signature;
  private final LaunchBounds bounds;
  private final DeclaredArrays declared;
  private final boolean dependsOnLengths;

  private LoadedBounds(KernelSignature signature, LaunchBounds bounds, DeclaredArrays declared) {
    this.signature = signature;
    this.bounds = bounds;
    this.declared = declared;
    this.dependsOnLengths = signature.requiresBounds() && declared.hasLengthsAsLimits();
  }

  /** The bounds of a kernel; null if no launch of it can be refused. */
  static @Nullable LoadedBounds of(LaunchBounds bounds, KernelSignature signature) {
    return signature.requiresBounds() || bounds.isChecked()
        ? new LoadedBounds(signature, bounds, DeclaredArrays.of(signature))
        : null;
  }

  BoundsEvaluator evaluator() {
    return bounds.evaluator();
  }

  List<NumberPlace> arguments() {
    return bounds.arguments();
  }

  /** How many arrays have bounds. */
  int arrays() {
    return bounds.arrayCount();
  }

  /**
   * The index of an array.
   *
   * @param position its parameter, counted with the fields of structures in their place
   * @return the index; negative if it has no bounds
   */
  int array(int position) {
    return declared.indexAt(position);
  }

  /** The position of an array's parameter, see {@link #array}. */
  int position(int array) {
    return declared.position(array);
  }

  /** Whether launches are refused unless they provably stay in their arrays. */
  boolean isProofRequired() {
    return signature.requiresBounds();
  }

  /** Whether numbers that the kernel loads have declared limits. */
  boolean hasLimits() {
    return declared.hasLimits();
  }

  /** Whether they depend on the lengths of arrays, and not on numbers alone. */
  boolean dependsOnLengths() {
    return dependsOnLengths;
  }

  /** An array's parameter, for errors. */
  AttemptedUse use(int array) {
    return AttemptedUse.ofParameter(signature.entry(), declared.name(array));
  }

  /** The numbers that decide an access, and its place in the source. */
  String inWords(ReachedAccess access, long[] numbers) {
    List<String> words = new ArrayList<>();
    for (int argument : access.arguments()) {
      NumberPlace place = bounds.arguments().get(argument);
      words.add(name(place) + " = " + numbers[argument]);
    }
    String place =
        access.place().isEmpty()
            ? ", line " + access.line() + " of the PTX"
            : ", " + access.place();
    return (words.isEmpty() ? "" : words.stream().collect(Collectors.joining(", ", " (", ")")))
        + place;
  }

  private String name(NumberPlace place) {
    KernelParameter.Passed parameter = signature.passed().get(place.parameter());
    if (parameter instanceof KernelParameter.Struct struct) {
      StructLayout layout = struct.layout();
      for (int i = 0; i < struct.fields().size(); i++) {
        if (layout.offset(i) == place.offset()) {
          return struct.name(struct.fields().get(i));
        }
      }
    }
    return parameter.name();
  }
}
