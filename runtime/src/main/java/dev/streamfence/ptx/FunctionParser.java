package dev.streamfence.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Parses entries, functions and prototypes: their heads, and the statements of their bodies. */
final class FunctionParser {
  /** Four times what any instruction has. */
  private static final int MAX_MODIFIERS = 64;

  private final Lexer lexer;
  private final OperandParser operands;
  private final DeclarationParser declarations;

  FunctionParser(Lexer lexer, OperandParser operands, DeclarationParser declarations) {
    this.lexer = lexer;
    this.operands = operands;
    this.declarations = declarations;
  }

  /** What the body of one function has come to so far. */
  private static final class Body {
    final Scope.RegisterFile registers = new Scope.RegisterFile();
    final List<Variable> locals = new ArrayList<>();
    final List<Instruction> instructions = new ArrayList<>();
    Scope scope;
    int depth;
    SourceLine source = SourceLine.NONE;

    Body(Scope scope) {
      this.scope = scope;
    }
  }

  /** Parses a function after {@code .entry} or {@code .func}. */
  Function function(boolean entry, Scope module) {
    Body body = new Body(new Scope(module));
    int line = lexer.line();
    List<Function.Formal> returns =
        !entry && lexer.is('(') ? declarations.formals(body.scope, body.registers) : List.of();
    String name = lexer.take(Lexer.Kind.WORD, "a function name");
    List<Function.Formal> parameters =
        lexer.is('(') ? declarations.formals(body.scope, body.registers) : List.of();
    Limits limits = performanceDirectives();
    boolean hasBody = !lexer.accept(';');
    if (hasBody) {
      lexer.expect('{');
      statements(body);
    }
    return new Function(
        name,
        line,
        entry,
        returns,
        parameters,
        limits.maxThreadsPerBlock,
        limits.maxThreadsInX,
        limits.exact,
        hasBody,
        body.registers.size(),
        body.locals,
        body.instructions);
  }

  /** How many threads a block may have, 0 if nothing says it, or must have. */
  private record Limits(int maxThreadsPerBlock, int maxThreadsInX, boolean exact) {}

  /** Parses {@code .maxntid 256, 1, 1} and its like. */
  private Limits performanceDirectives() {
    Limits limits = new Limits(0, 0, false);
    while (lexer.is(Lexer.Kind.DOTTED)) {
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
          if (lexer.is(Lexer.Kind.END)) {
            throw lexer.unexpected("')'");
          }
          lexer.advance();
        }
        continue;
      }
      long product = 1;
      long first = 0;
      boolean numbers = lexer.is(Lexer.Kind.NUMBER);
      if (numbers) {
        do {
          long extent = Math.min(1 << 16, operands.integer("a number"));
          first = first == 0 ? extent : first;
          product *= extent;
        } while (lexer.accept(','));
      }
      if (numbers && (directive.equals("maxntid") || directive.equals("reqntid"))) {
        if (product < 1 || product > Integer.MAX_VALUE) {
          throw new PtxException(line, "." + directive + " is out of range");
        }
        limits = new Limits((int) product, (int) first, directive.equals("reqntid"));
      }
    }
    return limits;
  }

  private void pragma() {
    do {
      lexer.take(Lexer.Kind.STRING, "a pragma in quotes");
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
      if (body.scope.depth() >= Scope.MAX_DEPTH) {
        throw lexer.error("scopes are nested deeper than " + Scope.MAX_DEPTH);
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
      String opcode = lexer.take(Lexer.Kind.WORD, "an instruction");
      Instruction.Guard guard = new Instruction.Guard(use.register(), negated ^ use.negated());
      instruction(body, line, guard, opcode);
    } else {
      throw new PtxException(line, "'@' must stand before a declared predicate register");
    }
  }

  private void labelOrInstruction(Body body) {
    int line = lexer.line();
    String word = lexer.take(Lexer.Kind.WORD, "a statement");
    if (!lexer.accept(':')) {
      instruction(body, line, null, word);
      return;
    }
    Label label = body.scope.label(word, line);
    if (label.isDefinedHere()) {
      throw new PtxException(line, "label '" + word + "' is defined twice");
    }
    label.define(body.instructions.size());
    if (lexer.is(Lexer.Kind.DOTTED)) {
      directive(body, label);
    }
  }

  private void directive(Body body, @Nullable Label label) {
    int line = lexer.line();
    String word = lexer.take(Lexer.Kind.DOTTED, "a directive");
    Optional<StateSpace> space = StateSpace.named(word);
    if (space.isPresent()) {
      declare(body, space.get());
      return;
    }
    switch (word) {
      case "loc" -> body.source = ModuleParser.location(lexer);
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
      targets.add(body.scope.label(lexer.take(Lexer.Kind.WORD, "a label"), targetLine));
    } while (lexer.accept(','));
    lexer.expect(';');
    label.listTargets(targets);
  }

  private void prototype(@Nullable Label label, int line) {
    if (label == null) {
      throw new PtxException(line, ".callprototype needs a label before it");
    }
    Scope.RegisterFile registers = new Scope.RegisterFile();
    Scope scope = new Scope(null);
    List<Function.Formal> returns =
        lexer.is('(') ? declarations.formals(scope, registers) : List.of();
    lexer.take(Lexer.Kind.WORD, "'_'");
    List<Function.Formal> parameters =
        lexer.is('(') ? declarations.formals(scope, registers) : List.of();
    performanceDirectives();
    lexer.expect(';');
    label.describe(
        new Function(
            label.name(),
            line,
            false,
            returns,
            parameters,
            0,
            0,
            false,
            false,
            registers.size(),
            List.of(),
            List.of()));
  }

  private void instruction(Body body, int line, Instruction.@Nullable Guard guard, String opcode) {
    List<String> modifiers = new ArrayList<>();
    while (lexer.is(Lexer.Kind.DOTTED)) {
      if (modifiers.size() == MAX_MODIFIERS) {
        throw lexer.error("an instruction has more than " + MAX_MODIFIERS + " modifiers");
      }
      modifiers.add(lexer.text());
      lexer.advance();
    }
    List<Operand> parsed = new ArrayList<>();
    if (!lexer.accept(';')) {
      do {
        parsed.add(operands.operand(body.scope, body.registers));
      } while (lexer.accept(','));
      lexer.expect(';');
    }
    body.instructions.add(new Instruction(line, guard, opcode, modifiers, parsed, body.source));
  }
}
