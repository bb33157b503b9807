package dev.streamfence.internal.ptx.syntax;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Parses a whole PTX text. It never recurses with the depth of its input, and looks at each token
 * once.
 */
final class ModuleParser {
  private final Lexer lexer;
  private final OperandParser operands;
  private final DeclarationParser declarations;
  private final FunctionParser functionParser;
  private final ModelSize size;
  private final Scope scope;
  private final List<Variable> variables = new ArrayList<>();
  private final Map<String, PtxFunction> functions = new LinkedHashMap<>();
  private final Set<String> aliases = new HashSet<>();
  private final Map<Long, String> files = new HashMap<>();
  private String isaVersion = "";
  private String target = "";
  private boolean debug;
  private int addressSize = 32;

  /**
   * Creates a parser of a text.
   *
   * @param maxParts the limit of the model's size, see {@link ModelSize}
   */
  ModuleParser(String source, int maxParts) {
    size = new ModelSize(maxParts);
    scope = new Scope(size);
    lexer = new Lexer(source);
    operands = new OperandParser(lexer, size);
    declarations = new DeclarationParser(lexer, operands, size);
    functionParser = new FunctionParser(lexer, operands, declarations, size);
  }

  PtxModule parse() {
    boolean external = false;
    while (!lexer.is(Lexer.TokenKind.END)) {
      if (lexer.accept(';')) {
        continue;
      }
      if (lexer.accept('@')) {
        skipDwarf();
        continue;
      }
      int line = lexer.line();
      String word = lexer.take(Lexer.TokenKind.DOTTED, "a directive");
      switch (word) {
        case "extern" -> {
          external = true;
          continue;
        }
        case "visible", "weak", "common" -> {
          continue;
        }
        default -> directive(word, line, external);
      }
      external = false;
    }
    if (isaVersion.isEmpty()) {
      throw lexer.error("the text has no .version; it is not PTX, or only a part of it");
    }
    if (target.isEmpty()) {
      throw lexer.error("the text has no .target; it is only a part of a PTX file");
    }
    return new PtxModule(
        isaVersion,
        target,
        debug,
        addressSize,
        variables,
        new ArrayList<>(functions.values()),
        aliases,
        files,
        size.parts());
  }

  private void directive(String word, int line, boolean external) {
    switch (word) {
      case "version" -> isaVersion = lexer.take(Lexer.TokenKind.NUMBER, "a version");
      case "target" -> target();
      case "address_size" -> addressSize();
      case "file" -> file();
      case "loc" -> location(lexer, new SourceLines());
      case "section" -> skipSection();
      case "alias" -> alias();
      case "pragma", "branchtargets", "calltargets" -> skipToSemicolon();
      case "entry", "func" -> add(functionParser.function(word.equals("entry"), scope));
      default -> {
        StateSpace space =
            StateSpace.named(word)
                .orElseThrow(
                    () ->
                        new PtxException(
                            line,
                            "'." + Lexer.shortened(word) + "' is not a directive of a module"));
        if (space == StateSpace.REG || space == StateSpace.PARAM) {
          throw new PtxException(line, space + " cannot be declared outside a function");
        }
        variables.addAll(declarations.variables(space, external, scope));
      }
    }
  }

  private void add(PtxFunction function) {
    PtxFunction earlier = functions.get(function.name());
    if (earlier != null && earlier.hasBody() && function.hasBody()) {
      throw new PtxException(
          function.line(),
          "'" + function.name() + "' is defined twice, first in line " + earlier.line());
    }
    if (earlier == null || function.hasBody()) {
      functions.put(function.name(), function);
    }
  }

  /** Parses {@code .alias name, function}; ignores the function. */
  private void alias() {
    if (lexer.is(Lexer.TokenKind.WORD)) {
      size.add(ModelSize.NAME);
      aliases.add(lexer.text());
    }
    skipToSemicolon();
  }

  private void target() {
    target = lexer.take(Lexer.TokenKind.WORD, "a target such as sm_75");
    while (lexer.accept(',')) {
      debug |= lexer.take(Lexer.TokenKind.WORD, "a target option").equals("debug");
    }
  }

  private void addressSize() {
    long size = operands.integer("32 or 64");
    if (size != 32 && size != 64) {
      throw lexer.error(".address_size is 32 or 64");
    }
    addressSize = (int) size;
  }

  private void file() {
    long number = number(lexer.take(Lexer.TokenKind.NUMBER, "a file number"));
    size.add(ModelSize.NAME);
    files.putIfAbsent(number, lexer.take(Lexer.TokenKind.STRING, "a file name"));
    while (lexer.accept(',')) {
      lexer.take(Lexer.TokenKind.NUMBER, "a number");
    }
  }

  /**
   * Parses {@code .loc 1 2 3, function_name label, inlined_at 1 2 3} after {@code .loc}. The
   * innermost position comes first.
   *
   * @param known the positions before it in the same function
   */
  static SourceLine location(Lexer lexer, SourceLines known) {
    long file = fileNumber(lexer);
    long line = lineNumber(lexer);
    SourceLine caller = null;
    while (lexer.accept(',')) {
      boolean function = lexer.is(Lexer.TokenKind.WORD) && lexer.text().equals("function_name");
      lexer.take(Lexer.TokenKind.WORD, "function_name or inlined_at");
      if (function) {
        lexer.take(Lexer.TokenKind.WORD, "a label");
        if (lexer.accept('+')) {
          lexer.take(Lexer.TokenKind.NUMBER, "an offset");
        }
      } else {
        long callerFile = fileNumber(lexer);
        caller = known.find(callerFile, lineNumber(lexer));
      }
    }
    return known.add(new SourceLine(file, line, caller));
  }

  private static long fileNumber(Lexer lexer) {
    return number(lexer.take(Lexer.TokenKind.NUMBER, "a number"));
  }

  /** Parses a line and a column, of which only the line is kept. */
  private static long lineNumber(Lexer lexer) {
    long line = number(lexer.take(Lexer.TokenKind.NUMBER, "a number"));
    lexer.take(Lexer.TokenKind.NUMBER, "a number");
    return line;
  }

  /** Returns the number, or -1, which matches no file, if it is not an integer. */
  private static long number(String text) {
    return Literals.parse(text, false).orElse(null) instanceof Operand.IntegerLiteral literal
        ? literal.value()
        : -1;
  }

  private void skipSection() {
    if (lexer.is(Lexer.TokenKind.DOTTED) || lexer.is(Lexer.TokenKind.WORD)) {
      lexer.advance();
    }
    lexer.expect('{');
    int depth = 1;
    while (depth > 0) {
      if (lexer.is(Lexer.TokenKind.END)) {
        throw lexer.unexpected("'}'");
      }
      depth += lexer.is('{') ? 1 : lexer.is('}') ? -1 : 0;
      lexer.advance();
    }
  }

  private void skipToSemicolon() {
    while (!lexer.is(';')) {
      if (lexer.is(Lexer.TokenKind.END)) {
        throw lexer.unexpected("';'");
      }
      lexer.advance();
    }
    lexer.advance();
  }

  /** Skips the line-based debug sections of old compilers. */
  private void skipDwarf() {
    lexer.expect('@');
    int line = lexer.line();
    while (!lexer.is(Lexer.TokenKind.END) && lexer.line() == line) {
      lexer.advance();
    }
  }
}
