package dev.streamfence.internal.ptx.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Parses declarations of registers, variables and parameters. */
final class DeclarationParser {
  private final Lexer lexer;
  private final OperandParser operands;
  private final ModelSize size;
  private int variables;

  DeclarationParser(Lexer lexer, OperandParser operands, ModelSize size) {
    this.lexer = lexer;
    this.operands = operands;
    this.size = size;
  }

  /** The part of a declaration between the state space and the name. */
  private static final class Head {
    int alignment;
    int vectorLength = 1;
    ScalarType type = ScalarType.B8;
    @Nullable StateSpace pointsTo;
  }

  /** Parses {@code .reg …;} after {@code .reg}. */
  void registers(Scope scope, Scope.RegisterFile file) {
    Head head = head();
    do {
      int line = lexer.line();
      String name = lexer.take(Lexer.TokenKind.WORD, "a register name");
      if (lexer.accept('<')) {
        long count = operands.integer("a register count");
        lexer.expect('>');
        if (scope.hasFamily(name)) {
          throw new PtxException(line, "registers " + name + "<…> are declared twice");
        }
        size.add(ModelSize.NAME);
        scope.addFamily(name, head.type, head.vectorLength, count);
      } else {
        checkNew(scope, name, line);
        scope.add(file.create(name, head.type, head.vectorLength));
      }
    } while (lexer.accept(','));
    lexer.expect(';');
  }

  /** Parses variables up to their semicolon, after the state space. */
  List<Variable> variables(StateSpace space, boolean external, Scope scope) {
    Head head = head();
    List<Variable> declared = new ArrayList<>();
    do {
      Variable variable = variable(space, external, head, scope);
      checkNew(scope, variable.name(), variable.line());
      scope.add(variable);
      declared.add(variable);
    } while (lexer.accept(','));
    lexer.expect(';');
    return declared;
  }

  private static void checkNew(Scope scope, String name, int line) {
    if (scope.declares(name)) {
      throw new PtxException(line, "'" + name + "' is declared twice");
    }
  }

  /** Parses a list of formal parameters in parentheses. */
  List<PtxFunction.Formal> formals(Scope scope, Scope.RegisterFile file) {
    List<PtxFunction.Formal> formals = new ArrayList<>();
    lexer.expect('(');
    if (lexer.accept(')')) {
      return formals;
    }
    do {
      if (lexer.isDotted("reg")) {
        lexer.advance();
        Head head = head();
        String name = lexer.take(Lexer.TokenKind.WORD, "a parameter name");
        Register register = file.create(name, head.type, head.vectorLength);
        scope.add(register);
        formals.add(new PtxFunction.Formal.InRegister(register));
      } else if (lexer.isDotted("param")) {
        lexer.advance();
        Variable variable = variable(StateSpace.PARAM, false, head(), scope);
        // All formals of a prototype are named "_".
        if (!variable.name().equals("_")) {
          checkNew(scope, variable.name(), variable.line());
          scope.add(variable);
        }
        formals.add(new PtxFunction.Formal.InMemory(variable));
      } else {
        throw lexer.unexpected(".param or .reg");
      }
    } while (lexer.accept(','));
    lexer.expect(')');
    return formals;
  }

  private Head head() {
    Head head = new Head();
    while (lexer.is(Lexer.TokenKind.DOTTED)) {
      String word = lexer.text();
      Optional<ScalarType> type = ScalarType.named(word);
      if (type.isPresent()) {
        head.type = type.get();
        lexer.advance();
        pointerAttributes(head);
        return head;
      }
      lexer.advance();
      switch (word) {
        case "align" -> head.alignment = alignment();
        case "v2" -> head.vectorLength = 2;
        case "v4" -> head.vectorLength = 4;
        case "v8" -> head.vectorLength = 8;
        case "attribute" -> skipParentheses();
        default -> throw lexer.error("'." + word + "' is not a type or attribute of a variable");
      }
    }
    throw lexer.unexpected("a type");
  }

  /**
   * Parses the attributes that clang writes after the type of a pointer: {@code .ptr .global .align
   * 4}.
   */
  private void pointerAttributes(Head head) {
    while (lexer.is(Lexer.TokenKind.DOTTED)) {
      boolean align = lexer.isDotted("align");
      Optional<StateSpace> space = StateSpace.named(lexer.text());
      if (lexer.isDotted("ptr")) {
        head.pointsTo = StateSpace.GENERIC;
      } else if (space.isPresent()) {
        head.pointsTo = space.get();
      } else if (!align) {
        throw lexer.unexpected("a name");
      }
      lexer.advance();
      if (align) {
        alignment();
      }
    }
  }

  private int alignment() {
    long alignment = operands.integer("an alignment");
    if (alignment < 1 || alignment > CodeLimits.ALIGNMENT || Long.bitCount(alignment) != 1) {
      throw lexer.error("an alignment is a power of two up to " + CodeLimits.ALIGNMENT);
    }
    return (int) alignment;
  }

  private void skipParentheses() {
    lexer.expect('(');
    int depth = 1;
    while (depth > 0) {
      if (lexer.is(Lexer.TokenKind.END)) {
        throw lexer.unexpected("')'");
      }
      depth += lexer.is('(') ? 1 : lexer.is(')') ? -1 : 0;
      lexer.advance();
    }
  }

  private Variable variable(StateSpace space, boolean external, Head head, Scope scope) {
    int line = lexer.line();
    String name = lexer.take(Lexer.TokenKind.WORD, "a name");
    size.add(ModelSize.VARIABLE);
    List<Long> dimensions = new ArrayList<>();
    while (lexer.accept('[')) {
      if (dimensions.size() == CodeLimits.DIMENSIONS) {
        throw lexer.error("'" + name + "' has more than " + CodeLimits.DIMENSIONS + " dimensions");
      }
      dimensions.add(lexer.is(']') ? 0L : operands.integer("a length"));
      lexer.expect(']');
    }
    int elementBytes = head.vectorLength * head.type.bytes();
    long elements = elements(name, line, dimensions, elementBytes);
    List<Variable.Initializer> values =
        lexer.accept('=') ? initializers(dimensions, scope) : List.of();
    if (!values.isEmpty() && elements == 0 && dimensions.size() == 1) {
      elements = values.get(values.size() - 1).element() + 1;
    }
    long scalars = elements * head.vectorLength;
    if (!values.isEmpty() && values.get(values.size() - 1).element() >= scalars) {
      throw new PtxException(line, "'" + name + "' has more initial values than elements");
    }
    int alignment = head.alignment > 0 ? head.alignment : elementBytes;
    return new Variable(
        variables++,
        line,
        name,
        space,
        head.type,
        head.vectorLength,
        elements,
        !dimensions.isEmpty(),
        alignment,
        external,
        head.pointsTo,
        values);
  }

  private static long elements(String name, int line, List<Long> dimensions, int elementBytes) {
    long elements = 1;
    try {
      for (long dimension : dimensions) {
        if (dimension < 0) {
          throw new ArithmeticException();
        }
        elements = Math.multiplyExact(elements, dimension);
      }
      Math.multiplyExact(elements, (long) elementBytes);
    } catch (ArithmeticException e) {
      throw new PtxException(line, "'" + name + "' is larger than an address space");
    }
    return elements;
  }

  /** Parses {@code {1, 2, {3}}} or one value; inner braces start at a row of their dimension. */
  private List<Variable.Initializer> initializers(List<Long> dimensions, Scope scope) {
    Initializers.Collector values = new Initializers.Collector();
    int depth = 0;
    do {
      while (lexer.accept('{')) {
        depth++;
        if (depth > CodeLimits.DIMENSIONS) {
          throw lexer.error("braces are nested deeper than " + CodeLimits.DIMENSIONS);
        }
      }
      if (!lexer.is('}')) {
        values.add(operands.shared(value(scope)));
      }
      while (depth > 0 && lexer.accept('}')) {
        depth--;
        long row = 1;
        for (int d = depth; d < dimensions.size(); d++) {
          row = Math.max(1, row * dimensions.get(d));
        }
        long next = values.next();
        values.skipTo(depth == 0 || next % row == 0 ? next : next + row - next % row);
      }
    } while (depth > 0 && acceptComma());
    return values.build();
  }

  private boolean acceptComma() {
    lexer.expect(',');
    return true;
  }

  private Operand value(Scope scope) {
    Scope.RegisterFile none = new Scope.RegisterFile(size);
    Operand value = address(scope, none);
    if (value instanceof Operand.IntegerLiteral mask && lexer.accept('(')) {
      Operand target = address(scope, none);
      lexer.expect(')');
      return new Operand.MaskedAddress(mask.value(), target);
    }
    return value;
  }

  private Operand address(Scope scope, Scope.RegisterFile none) {
    if (lexer.is(Lexer.TokenKind.WORD) && lexer.text().equals("generic")) {
      lexer.advance();
      lexer.expect('(');
      Operand inner = operands.simple(scope, none);
      lexer.expect(')');
      return new Operand.GenericAddress(inner, operands.offset());
    }
    return operands.simple(scope, none);
  }
}
