package dev.streamfence.internal.ptx.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One operand of an instruction, as written, with its names resolved. */
public sealed interface Operand {

  /**
   * A register.
   *
   * @param negated written with {@code !}
   */
  record RegisterUse(Register register, boolean negated) implements Operand {
    // Written out, like that of a register.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof RegisterUse use
          && negated == use.negated
          && register.equals(use.register);
    }

    @Override
    public int hashCode() {
      return negated ? ~register.hashCode() : register.hashCode();
    }
  }

  /** One element of a vector register, as in {@code %v.y}. */
  record Element(Register register, int element) implements Operand {}

  /** A predefined register such as {@code %tid.x}; the name includes the percent sign. */
  record SpecialRegister(String name) implements Operand {}

  /** An integer constant; unsigned 64-bit constants are held as the long with the same bits. */
  record IntegerLiteral(long value) implements Operand {}

  /**
   * A floating-point constant.
   *
   * @param type {@link ScalarType#F32} for {@code 0f…}, {@link ScalarType#F64} for the rest
   */
  record FloatLiteral(long bits, ScalarType type) implements Operand {
    public float asFloat() {
      return type == ScalarType.F32
          ? Float.intBitsToFloat((int) bits)
          : (float) Double.longBitsToDouble(bits);
    }

    public double asDouble() {
      return type == ScalarType.F32
          ? Float.intBitsToFloat((int) bits)
          : Double.longBitsToDouble(bits);
    }
  }

  /** The address of a variable. */
  record VariableAddress(Variable variable, long offset) implements Operand {}

  /** A name that is not a visible register or variable: a label, or a name of the module. */
  record Name(Label label, long offset) implements Operand {}

  /** Operands in braces. */
  record Vector(List<Operand> elements) implements Operand {}

  /** Two operands with a bar between them, as in {@code %p1|%p2}. */
  record Pair(Operand first, Operand second) implements Operand {}

  /**
   * Something in brackets.
   *
   * @param base a register, a variable, a name or a constant
   * @param more the operands after the first comma, for textures and tensor copies
   */
  record Memory(Operand base, long offset, List<Operand> more) implements Operand {}

  /** Operands in parentheses: arguments or results of a call. */
  record Arguments(List<Operand> elements) implements Operand {}

  /** The generic address of a variable, as in the initial value {@code generic(x) + 4}. */
  record GenericAddress(Operand target, long offset) implements Operand {}

  /**
   * One byte of an address, as in the initial value {@code 0xFF00(generic(x))}.
   *
   * @param mask selects eight bits
   */
  record MaskedAddress(long mask, Operand target) implements Operand {}

  /** The underscore: an unwanted result. */
  record Sink() implements Operand {}

  /** Visits the operands inside this one that have none inside; itself if it has none. */
  default void forEachSimple(Consumer<Operand> visitor) {
    if (this instanceof Vector vector) {
      vector.elements.forEach(element -> element.forEachSimple(visitor));
    } else if (this instanceof Arguments arguments) {
      arguments.elements.forEach(element -> element.forEachSimple(visitor));
    } else if (this instanceof Pair pair) {
      pair.first.forEachSimple(visitor);
      pair.second.forEachSimple(visitor);
    } else if (this instanceof Memory memory) {
      memory.base.forEachSimple(visitor);
      memory.more.forEach(each -> each.forEachSimple(visitor));
    } else if (this instanceof GenericAddress generic) {
      generic.target.forEachSimple(visitor);
    } else if (this instanceof MaskedAddress masked) {
      masked.target.forEachSimple(visitor);
    } else {
      visitor.accept(this);
    }
  }

  /** Returns the registers that it names, in order; a vector register once for each mention. */
  default List<Register> registers() {
    // Most operands are one register, or none.
    if (this instanceof RegisterUse use) {
      return List.of(use.register);
    }
    if (this instanceof Element element) {
      return List.of(element.register);
    }
    if (!hasParts()) {
      return List.of();
    }
    List<Register> registers = new ArrayList<>();
    forEachSimple(each -> registers.addAll(each.registers()));
    return registers;
  }

  private boolean hasParts() {
    return this instanceof Memory
        || this instanceof Vector
        || this instanceof Pair
        || this instanceof Arguments;
  }

  /** Visits the index of each register that it names, with all elements of a vector register. */
  default void forEachRegister(IntConsumer visitor) {
    if (this instanceof RegisterUse use) {
      for (int i = 0; i < use.register.vectorLength(); i++) {
        visitor.accept(use.register.index() + i);
      }
    } else if (this instanceof Element element) {
      visitor.accept(element.register.index() + element.element);
    } else if (hasParts()) {
      forEachSimple(each -> each.forEachRegister(visitor));
    }
  }

  /**
   * Returns the indexes of the registers that it names, as {@link #forEachRegister} visits them.
   */
  default int[] registerIndexes() {
    // Most operands are one register, or none.
    if (this instanceof RegisterUse use && use.register.vectorLength() == 1) {
      return new int[] {use.register.index()};
    }
    if (this instanceof Memory memory && memory.more.isEmpty()) {
      return memory.base.registerIndexes();
    }
    if (!(this instanceof RegisterUse || this instanceof Element || hasParts())) {
      return new int[0];
    }
    IntStream.Builder indexes = IntStream.builder();
    forEachRegister(indexes);
    return indexes.build().toArray();
  }

  /** Returns whether it is no vector and no pair, see {@link #parts}. */
  default boolean isSingle() {
    if (this instanceof RegisterUse use) {
      return use.register.vectorLength() == 1;
    }
    return !(this instanceof Pair || this instanceof Vector) || parts().size() == 1;
  }

  /** Returns the elements of a vector or a pair; otherwise the operand itself. */
  default List<Operand> parts() {
    if (this instanceof Vector vector) {
      return vector.elements;
    }
    if (this instanceof Pair pair) {
      return List.of(pair.first, pair.second);
    }
    if (this instanceof RegisterUse use && use.register.vectorLength() > 1) {
      Operand[] elements = new Operand[use.register.vectorLength()];
      for (int i = 0; i < elements.length; i++) {
        elements[i] = new Element(use.register, i);
      }
      return List.of(elements);
    }
    return List.of(this);
  }
}
