package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.check.Mismatch.Subject;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.ParameterAccesses;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.ir.WordUses;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.PtxFunction.Formal;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.Variable;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.StructLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Compares the components of records that are passed by value with the places in a kernel's
 * structure at which it has floating-point numbers, or computes with integers. Confined to one
 * thread.
 */
final class StructCheck {
  /** A word of a structure that the kernel loads, by the load and its place among its words. */
  private record Word(int load, int number, int offset, int bytes) {}

  private final KernelFlow kernel;
  private final FunctionFlow flow;
  private final int parameter;

  private StructCheck(KernelFlow kernel, int parameter) {
    this.kernel = kernel;
    this.flow = kernel.flow();
    this.parameter = parameter;
  }

  /** The first difference of a structure; empty if the kernel is too long to be looked at. */
  static Optional<Mismatch> compare(
      KernelFlow kernel, int parameter, KernelParameter.Struct declared) {
    try {
      kernel.function(KernelFlow.MOST_INSTRUCTIONS);
      return new StructCheck(kernel, parameter).compare(declared);
    } catch (TooComplexException e) {
      return Optional.empty();
    }
  }

  private Optional<Mismatch> compare(KernelParameter.Struct declared) {
    List<Word> words = words(declared.sizeInBytes());
    Set<Integer> floats = places(words, this::isFloat);
    Set<Integer> integers = places(words, this::isInteger);
    for (Word word : words) {
      // A place with both is a union, and a word that is only copied may be several.
      boolean isUnion = floats.contains(word.offset()) && integers.contains(word.offset());
      Optional<Mismatch> found = isUnion ? Optional.empty() : difference(declared, word);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private static Set<Integer> places(List<Word> words, Predicate<Word> condition) {
    return words.stream().filter(condition).map(Word::offset).collect(Collectors.toSet());
  }

  /** Whether the kernel loads a word as a floating-point number, or computes with it as one. */
  private boolean isFloat(Word word) {
    return WordUses.floatBytes(flow.instruction(word.load())) > 0
        || WordUses.isFloat(flow, word.load(), word.number());
  }

  /** Whether the kernel loads a word as an integer, and computes with it as one. */
  private boolean isInteger(Word word) {
    ScalarType type = flow.instruction(word.load()).type();
    boolean isTyped =
        type != null
            && (type.kind == ScalarType.NumberKind.SIGNED
                || type.kind == ScalarType.NumberKind.UNSIGNED);
    return isTyped && WordUses.isInteger(flow, word.load(), word.number());
  }

  /** The words that the kernel loads from the parameter, each at a fixed place within it. */
  private List<Word> words(int size) {
    List<Word> found = new ArrayList<>();
    if (!(kernel.entry().function().parameters().get(parameter) instanceof Formal.InMemory own)) {
      return found;
    }
    for (int at = 0; at < flow.size(); at++) {
      Instruction instruction = flow.instruction(at);
      Variable loaded = ParameterAccesses.variable(instruction);
      if (loaded == null || loaded.id() != own.variable().id()) {
        continue;
      }
      int bytes = Widths.element(instruction);
      for (int word = 0; word < WordUses.count(flow, at); word++) {
        long offset = ParameterAccesses.offset(instruction) + (long) word * bytes;
        if (offset >= 0 && offset + bytes <= size) {
          found.add(new Word(at, word, (int) offset, bytes));
        }
      }
    }
    return found;
  }

  private Optional<Mismatch> difference(KernelParameter.Struct declared, Word word) {
    boolean isFloat = isFloat(word);
    if (!isFloat && !isInteger(word)) {
      return Optional.empty();
    }
    StructLayout layout = declared.layout();
    int field = layout.fieldAt(word.offset());
    KernelParameter.Field component = declared.fields().get(field);
    boolean isBegin = layout.offset(field) == word.offset();
    if (isFloat ? mayHoldFloat(component, word.bytes(), isBegin) : mayHoldInteger(component)) {
      return Optional.empty();
    }
    AccessSite site =
        AccessSite.of(kernel.module(), kernel.entry().name(), flow.instruction(word.load()), "");
    String floats = word.bytes() == Double.BYTES ? "a double" : "a float";
    return Optional.of(
        Mismatch.ofRecord(
            site,
            new Subject(parameter, isBegin ? declared.name(component) : declared.name(), ""),
            (isBegin ? " is " + component.inWords() : " has no component at byte " + word.offset())
                + ", but the kernel has "
                + (isFloat ? floats : "an integer")
                + " there"));
  }

  private static boolean mayHoldFloat(KernelParameter.Field component, int bytes, boolean isBegin) {
    return component instanceof KernelParameter.Value value
        && RecordCheck.mayHold(value.type(), bytes, isBegin);
  }

  /** Whether a component may hold an integer; the code also computes with addresses of arrays. */
  private static boolean mayHoldInteger(KernelParameter.Field component) {
    return !(component instanceof KernelParameter.Value value) || !value.type().isFloatingPoint();
  }
}
