package dev.streamfence.internal.ptx.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An opcode with its modifiers, and the types and state spaces that they name. Instructions of a
 * text that are written alike share one, since the analyses ask for its parts all the time.
 * Immutable.
 */
public final class Mnemonic {
  private final String opcode;
  private final List<String> modifiers;
  private final int hash;

  // Racy, benign: what they are set to depends on the modifiers alone.
  private @Nullable List<ScalarType> types;
  private @Nullable List<StateSpace> spaces;
  private @Nullable String text;

  Mnemonic(String opcode, List<String> modifiers) {
    this.opcode = opcode;
    this.modifiers = List.copyOf(modifiers);
    this.hash = 31 * opcode.hashCode() + this.modifiers.hashCode();
  }

  /** Returns the mnemonic that a text with dots stands for. */
  public static Mnemonic of(String text) {
    List<String> words = List.of(text.split("\\."));
    return new Mnemonic(words.get(0), words.subList(1, words.size()));
  }

  String opcode() {
    return opcode;
  }

  List<String> modifiers() {
    return modifiers;
  }

  List<ScalarType> types() {
    List<ScalarType> found = types;
    if (found == null) {
      found = new ArrayList<>(2);
      for (String modifier : modifiers) {
        ScalarType.named(modifier).ifPresent(found::add);
      }
      found = List.copyOf(found);
      types = found;
    }
    return found;
  }

  List<StateSpace> spaces() {
    List<StateSpace> found = spaces;
    if (found == null) {
      found = modifiers.stream().map(StateSpace::named).flatMap(Optional::stream).toList();
      spaces = found;
    }
    return found;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Mnemonic mnemonic
        && hash == mnemonic.hash
        && opcode.equals(mnemonic.opcode)
        && modifiers.equals(mnemonic.modifiers);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /** Returns opcode and modifiers as they were written. */
  @Override
  public String toString() {
    String found = text;
    if (found == null) {
      found = modifiers.isEmpty() ? opcode : opcode + "." + String.join(".", modifiers);
      text = found;
    }
    return found;
  }
}
