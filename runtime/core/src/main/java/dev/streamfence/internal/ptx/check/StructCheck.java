package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.check.Mismatch.Subject;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.ir.WordUses;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction.Formal;
import dev.streamfence.internal.ptx.syntax.StateSpace;
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
    List<Word> words = words();
    Set<Integer> floats = places(words, this::isFloat);
    Set<Integer> integers = places(words, this::isInteger);
    for (Word word : words) {
      // A place with both is a union.
      boolean isFloat = floats.contains(word.offset());
      if (isFloat != integers.contains(word.offset())) {
        Optional<Mismatch> found = difference(declared, word, isFloat);
        if (found.isPresent()) {
          return found;
        }
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

  private boolean isInteger(Word word) {
    return WordUses.isInteger(flow, word.load(), word.number());
  }

  /** The words that the kernel loads from the parameter, each at a fixed place. */
  private List<Word> words() {
    List<Word> found = new ArrayList<>();
    if (!(kernel.entry().function().parameters().get(parameter) instanceof Formal.InMemory own)) {
      return found;
    }
    for (int at = 0; at < flow.size(); at++) {
      if (flow.instruction(at).opcode().equals("ld")
          && flow.instruction(at).spaces().contains(StateSpace.PARAM)
          && flow.instruction(at).operands().size() > 1
          && flow.instruction(at).operands().get(1) instanceof Operand.Memory memory
          && memory.base() instanceof Operand.VariableAddress address
          && isSame(address.variable(), own.variable())) {
        int bytes = Widths.element(flow.instruction(at));
        long first = address.offset() + memory.offset();
        for (int word = 0; word < WordUses.count(flow, at); word++) {
          found.add(new Word(at, word, (int) first + word * bytes, bytes));
        }
      }
    }
    return found;
  }

  private static boolean isSame(Variable one, Variable other) {
    return one.id() == other.id();
  }

  private Optional<Mismatch> difference(
      KernelParameter.Struct declared, Word word, boolean isFloat) {
    StructLayout layout = declared.layout();
    int field = 0;
    while (field + 1 < declared.fields().size() && layout.offset(field + 1) <= word.offset()) {
      field++;
    }
    KernelParameter.Field component = declared.fields().get(field);
    boolean isBegin = layout.offset(field) == word.offset();
    boolean mayHold =
        component instanceof KernelParameter.Value value
            ? isFloat
                ? RecordCheck.mayHold(value.type(), word.bytes(), isBegin)
                : !value.type().isFloatingPoint()
            : !isFloat;
    if (mayHold) {
      return Optional.empty();
    }
    AccessSite site =
        AccessSite.of(kernel.module(), kernel.entry().name(), flow.instruction(word.load()), "");
    return Optional.of(
        Mismatch.ofRecord(
            site,
            new Subject(parameter, declared.name(component), ""),
            (isBegin ? " is " + component.inWords() : " has no component at byte " + word.offset())
                + ", but the kernel has "
                + (isFloat ? word.bytes() == Double.BYTES ? "a double" : "a float" : "an integer")
                + " there"));
  }
}
