package dev.streamfence.internal.ptx.syntax;

import java.util.ArrayList;
import java.util.List;

/** Parses operands of instructions and of initial values, resolving names in a scope. */
final class OperandParser {
  private static final String ELEMENTS = "xyzw";

  private final Lexer lexer;
  private final Interner<Operand> known;

  OperandParser(Lexer lexer, ModelSize size) {
    this.lexer = lexer;
    known = new Interner<>(size);
  }

  /** Returns this operand, or an equal earlier one. */
  Operand shared(Operand operand) {
    return known.one(operand, 1);
  }

  /** Parses one operand, which may be a list in braces, brackets or parentheses. */
  Operand operand(Scope scope, Scope.RegisterFile registers) {
    return shared(any(scope, registers));
  }

  private Operand any(Scope scope, Scope.RegisterFile registers) {
    if (lexer.accept('(')) {
      return new Operand.Arguments(list(')', scope, registers));
    }
    if (lexer.accept('[')) {
      return memory(scope, registers);
    }
    Operand first = simpleOrVector(scope, registers);
    if (lexer.accept('|')) {
      return new Operand.Pair(first, simple(scope, registers));
    }
    return first;
  }

  private Operand simpleOrVector(Scope scope, Scope.RegisterFile registers) {
    if (lexer.accept('{')) {
      return new Operand.Vector(list('}', scope, registers));
    }
    return simple(scope, registers);
  }

  private List<Operand> list(char close, Scope scope, Scope.RegisterFile registers) {
    List<Operand> elements = new ArrayList<>();
    if (lexer.accept(close)) {
      return elements;
    }
    do {
      elements.add(simple(scope, registers));
    } while (lexer.accept(','));
    lexer.expect(close);
    return elements;
  }

  private Operand memory(Scope scope, Scope.RegisterFile registers) {
    Operand base = simple(scope, registers);
    long offset = 0;
    if (base instanceof Operand.VariableAddress variable) {
      offset = variable.offset();
      base = new Operand.VariableAddress(variable.variable(), 0);
    } else if (base instanceof Operand.Name name) {
      offset = name.offset();
      base = new Operand.Name(name.label(), 0);
    } else {
      offset = offset();
    }
    List<Operand> more = new ArrayList<>();
    while (lexer.accept(',')) {
      more.add(simpleOrVector(scope, registers));
    }
    lexer.expect(']');
    return new Operand.Memory(base, offset, List.copyOf(more));
  }

  /** Parses what may follow a base: any number of {@code + 4}, {@code +-4} or {@code - 4}. */
  long offset() {
    long offset = 0;
    while (lexer.is('+') || lexer.is('-')) {
      boolean negative = lexer.is('-');
      lexer.advance();
      if (lexer.accept('-')) {
        negative = !negative;
      }
      long value = integer("an offset");
      offset += negative ? -value : value;
    }
    return offset;
  }

  /** Takes an integer literal. */
  long integer(String what) {
    int line = lexer.line();
    String text = lexer.take(Lexer.TokenKind.NUMBER, what);
    if (Literals.parse(text, false).orElse(null) instanceof Operand.IntegerLiteral literal) {
      return literal.value();
    }
    throw new PtxException(line, "'" + Lexer.shortened(text) + "' is not an integer of 64 bits");
  }

  /** Parses an operand without brackets of any kind. */
  Operand simple(Scope scope, Scope.RegisterFile registers) {
    return shared(alone(scope, registers));
  }

  private Operand alone(Scope scope, Scope.RegisterFile registers) {
    if (lexer.accept('!')) {
      int line = lexer.line();
      String word = lexer.take(Lexer.TokenKind.WORD, "a predicate register after '!'");
      if (named(word, line, scope, registers) instanceof Operand.RegisterUse use) {
        return new Operand.RegisterUse(use.register(), true);
      }
      throw new PtxException(line, "'!' must stand before a predicate register");
    }
    boolean negative = lexer.accept('-');
    if (lexer.is(Lexer.TokenKind.NUMBER)) {
      String text = lexer.text();
      Operand literal =
          Literals.parse(text, negative)
              .orElseThrow(
                  () -> lexer.error("'" + Lexer.shortened(text) + "' is not a number PTX knows"));
      lexer.advance();
      return literal;
    }
    if (negative) {
      throw lexer.unexpected("a number after '-'");
    }
    int line = lexer.line();
    String word = lexer.take(Lexer.TokenKind.WORD, "an operand");
    return named(word, line, scope, registers);
  }

  private Operand named(String word, int line, Scope scope, Scope.RegisterFile registers) {
    if (word.equals("_")) {
      return new Operand.Sink();
    }
    if (word.equals("WARP_SZ")) {
      return new Operand.IntegerLiteral(32);
    }
    Register register = scope.register(word, registers).orElse(null);
    if (register != null) {
      return register.vectorLength() > 1 && lexer.is(Lexer.TokenKind.DOTTED)
          ? element(register)
          : new Operand.RegisterUse(register, false);
    }
    Variable variable = scope.variable(word).orElse(null);
    if (variable != null) {
      return new Operand.VariableAddress(variable, offset());
    }
    if (word.startsWith("%")) {
      String name = word;
      if (lexer.is(Lexer.TokenKind.DOTTED)) {
        name += "." + lexer.text();
        lexer.advance();
      }
      return new Operand.SpecialRegister(name);
    }
    return new Operand.Name(scope.label(word, line), offset());
  }

  private Operand element(Register register) {
    int element = lexer.text().length() == 1 ? ELEMENTS.indexOf(lexer.text()) : -1;
    if (element < 0 || element >= register.vectorLength()) {
      throw lexer.error(register.name() + " has no element ." + Lexer.shortened(lexer.text()));
    }
    lexer.advance();
    return new Operand.Element(register, element);
  }
}
