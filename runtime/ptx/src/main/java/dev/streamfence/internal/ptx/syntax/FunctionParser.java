package dev.streamfence.internal.ptx.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Parses entries, functions and prototypes: their heads, and the statements of their bodies. */
final class FunctionParser {
  /** Far more than any device allows. */
  private static final int MAX_BLOCK_THREADS = 1 << 16;

  private final Lexer lexer;
  private final OperandParser operands;
  private final DeclarationParser declarations;
  private final ModelSize size;
  private final Interner<Mnemonic> knownMnemonics;
  private final Interner<List<Operand>> knownOperands;

  FunctionParser(
      Lexer lexer, OperandParser operands, DeclarationParser declarations, ModelSize size) {
    this.lexer = lexer;
    this.operands = operands;
    this.declarations = declarations;
    this.size = size;
    knownMnemonics = new Interner<>(size);
    knownOperands = new Interner<>(size);
  }

  /** The body of one function as parsed so far. */
  private static final class Body {
    final Scope.RegisterFile registers;
    final List<Variable> locals = new ArrayList<>();
    final List<Instruction> instructions = new ArrayList<>();
    Scope scope;
    int depth;
    final SourceLines positions = new SourceLines();
    SourceLine source = SourceLine.NONE;
    @Nullable BlockLimit blockLimit;
    List<Integer> clusters = List.of();

    Body(Scope scope, ModelSize size) {
      this.scope = scope;
      registers = new Scope.RegisterFile(size);
    }
  }

  /** Parses a function after {@code .entry} or {@code .func}. */
  PtxFunction function(boolean entry, Scope module) {
    size.add(ModelSize.FUNCTION);
    Body body = new Body(new Scope(module), size);
    int line = lexer.line();
    List<PtxFunction.Formal> returns =
        !entry && lexer.is('(') ? declarations.formals(body.scope, body.registers) : List.of();
    String name = lexer.take(Lexer.TokenKind.WORD, "a function name");
    List<PtxFunction.Formal> parameters =
        lexer.is('(') ? declarations.formals(body.scope, body.registers) : List.of();
    performanceDirectives(body);
    boolean hasBody = !lexer.accept(';');
    if (hasBody) {
      lexer.expect('{');
      statements(body);
    }
    return new PtxFunction(
        name,
        line,
        entry,
        returns,
        parameters,
        body.blockLimit,
        body.clusters,
        hasBody,
        body.registers.size(),
        body.locals,
        body.instructions);
  }

  /** Parses {@code .maxntid 256, 1, 1} and similar directives. */
  private void performanceDirectives(Body body) {
    while (lexer.is(Lexer.TokenKind.DOTTED)) {
      int line = lexer.line();
      String directive = lexer.text();
      lexer.advance();
      if (directive.equals("pragma")) {
        pragma();
        continue;
      }
      if (directive.equals("attribute")) {
        lexer.expect('(');
        while (!lexer.accept(')')) {
          if (lexer.is(Lexer.TokenKind.END)) {
            throw lexer.unexpected("')'");
          }
          lexer.advance();
        }
        continue;
      }
      List<Long> numbers = new ArrayList<>();
      if (lexer.is(Lexer.TokenKind.NUMBER)) {
        do {
          numbers.add(operands.integer("a number"));
        } while (numbers.size() < 3 && lexer.accept(','));
      }
      if (directive.equals("maxntid") || directive.equals("reqntid")) {
        body.blockLimit = blockLimit(line, directive, numbers);
      }
      if (directive.equals("reqnctapercluster")) {
        body.clusters = numbers.stream().map(Long::intValue).toList();
      }
    }
  }

  /** Returns null for a bound beyond any device, which assemblers ignore with a warning. */
  private static @Nullable BlockLimit blockLimit(int line, String directive, List<Long> extents) {
    int[] sizes = {1, 1, 1};
    long product = extents.isEmpty() ? 0 : 1;
    for (int i = 0; i < extents.size(); i++) {
      long extent = Math.min(extents.get(i), MAX_BLOCK_THREADS + 1L);
      product = extent < 1 ? 0 : product * extent;
      sizes[i] = (int) extent;
    }
    boolean exact = directive.equals("reqntid");
    if (product < 1 || (exact && product > MAX_BLOCK_THREADS)) {
      throw new PtxException(line, "." + directive + " is out of range");
    }
    return product > MAX_BLOCK_THREADS ? null : new BlockLimit(sizes[0], sizes[1], sizes[2], exact);
  }

  private void pragma() {
    do {
      lexer.take(Lexer.TokenKind.STRING, "a pragma in quotes");
    } while (lexer.accept(','));
    lexer.expect(';');
  }

  private void statements(Body body) {
    body.depth = 1;
    while (body.depth > 0) {
      switch (lexer.kind()) {
        case PUNCTUATION -> punctuation(body);
        case DOTTED -> directive(body, null);
        case WORD -> labelOrInstruction(body);
        default -> throw lexer.unexpected("a statement");
      }
    }
    body.scope.close();
  }

  private void punctuation(Body body) {
    if (lexer.accept('{')) {
      if (body.scope.depth() >= CodeLimits.SCOPES) {
        throw lexer.error("scopes are nested deeper than " + CodeLimits.SCOPES);
      }
      body.scope = new Scope(body.scope);
      body.depth++;
    } else if (lexer.accept('}')) {
      body.depth--;
      if (body.depth > 0) {
        body.scope = leave(body.scope);
      }
    } else if (lexer.accept('@')) {
      guarded(body);
    } else if (!lexer.accept(';')) {
      throw lexer.unexpected("a statement");
    }
  }

  private static Scope leave(Scope scope) {
    scope.close();
    return scope.enclosing();
  }

  private void guarded(Body body) {
    int line = lexer.line();
    boolean negated = lexer.accept('!');
    if (operands.simple(body.scope, body.registers) instanceof Operand.RegisterUse use
        && use.register().type() == ScalarType.PRED) {
      String opcode = lexer.take(Lexer.TokenKind.WORD, "an instruction");
      Instruction.GuardPredicate guard =
          new Instruction.GuardPredicate(use.register(), negated ^ use.negated());
      instruction(body, line, guard, opcode);
    } else {
      throw new PtxException(line, "'@' must stand before a declared predicate register");
    }
  }

  private void labelOrInstruction(Body body) {
    int line = lexer.line();
    String word = lexer.take(Lexer.TokenKind.WORD, "a statement");
    if (!lexer.accept(':')) {
      instruction(body, line, null, word);
      return;
    }
    Label label = body.scope.label(word, line);
    if (label.isDefinedHere()) {
      throw new PtxException(line, "label '" + word + "' is defined twice");
    }
    label.define(body.instructions.size());
    if (lexer.is(Lexer.TokenKind.DOTTED)) {
      directive(body, label);
    }
  }

  private void directive(Body body, @Nullable Label label) {
    int line = lexer.line();
    String word = lexer.take(Lexer.TokenKind.DOTTED, "a directive");
    Optional<StateSpace> space = StateSpace.named(word);
    if (space.isPresent()) {
      declare(body, space.get());
      return;
    }
    switch (word) {
      case "loc" -> body.source = ModuleParser.location(lexer, body.positions);
      case "pragma" -> pragma();
      case "branchtargets", "calltargets" -> targets(body, label, line);
      case "callprototype" -> prototype(label, line);
      default -> throw new PtxException(line, "'." + Lexer.shortened(word) + "' is not known here");
    }
  }

  private void declare(Body body, StateSpace space) {
    if (space == StateSpace.REG) {
      declarations.registers(body.scope, body.registers);
    } else {
      body.locals.addAll(declarations.variables(space, false, body.scope));
    }
  }

  private void targets(Body body, @Nullable Label label, int line) {
    if (label == null) {
      throw new PtxException(line, "a list of targets needs a label before it");
    }
    List<Label> targets = new ArrayList<>();
    do {
      int targetLine = lexer.line();
      targets.add(body.scope.label(lexer.take(Lexer.TokenKind.WORD, "a label"), targetLine));
    } while (lexer.accept(','));
    lexer.expect(';');
    label.listTargets(targets);
  }

  private void prototype(@Nullable Label label, int line) {
    if (label == null) {
      throw new PtxException(line, ".callprototype needs a label before it");
    }
    size.add(ModelSize.FUNCTION);
    Scope.RegisterFile registers = new Scope.RegisterFile(size);
    Scope scope = new Scope(size);
    List<PtxFunction.Formal> returns =
        lexer.is('(') ? declarations.formals(scope, registers) : List.of();
    lexer.take(Lexer.TokenKind.WORD, "'_'");
    List<PtxFunction.Formal> parameters =
        lexer.is('(') ? declarations.formals(scope, registers) : List.of();
    performanceDirectives(new Body(scope, size));
    lexer.expect(';');
    label.describe(
        new PtxFunction(
            label.name(),
            line,
            false,
            returns,
            parameters,
            null,
            List.of(),
            false,
            registers.size(),
            List.of(),
            List.of()));
  }

  private void instruction(
      Body body, int line, Instruction.@Nullable GuardPredicate guard, String opcode) {
    List<String> modifiers = new ArrayList<>();
    while (lexer.is(Lexer.TokenKind.DOTTED)) {
      if (modifiers.size() == CodeLimits.MODIFIERS) {
        throw lexer.error("an instruction has more than " + CodeLimits.MODIFIERS + " modifiers");
      }
      modifiers.add(lexer.text());
      lexer.advance();
    }
    List<Operand> parsed = new ArrayList<>();
    if (!lexer.accept(';')) {
      do {
        if (parsed.size() == CodeLimits.OPERANDS) {
          throw lexer.error("an instruction has more than " + CodeLimits.OPERANDS + " operands");
        }
        parsed.add(operands.operand(body.scope, body.registers));
      } while (lexer.accept(','));
      lexer.expect(';');
    }
    size.add(1);
    body.instructions.add(
        new Instruction(
            line,
            guard,
            knownMnemonics.one(new Mnemonic(opcode, modifiers), modifiers.size()),
            knownOperands.one(List.copyOf(parsed), 1),
            body.source));
  }
}
