package dev.streamfence.processor.generate;

import static java.util.stream.Collectors.joining;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import dev.streamfence.launch.Access;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelParameter.Cases;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.RecordElement;
import dev.streamfence.processor.model.KernelMethod;
import java.util.ArrayList;
import java.util.List;

/** Generates the expression for a kernel's signature. Stateless. */
final class SignatureGenerator {
  /** More characters of a parameter's name say nothing. */
  private static final int MAX_NAME = 1000;

  static final ClassName SIGNATURE = ClassName.get(KernelSignature.class);

  /** Stand for types until the text is code; no string literal has them unescaped. */
  private static final char SIGNATURE_MARK = '\u0001';

  private static final char OBJECT_MARK = '\u0002';

  /** On both sides of the name of an array of records. */
  private static final char RECORD_MARK = '\u0003';

  /** Of a line with one parameter. */
  private static final int INDENT = 8;

  /** Of a text that does not fit on one line. */
  private static final int PIECE = 76;

  /** The calls that describe one parameter. */
  private static final Cases<String> CALLS =
      new Cases<>(
          value -> call("value", value, type(value.type())),
          SignatureGenerator::struct,
          array ->
              tracked(array, nameOf(array.elementType()) + "[]")
                  + (array.optional() ? ".optional()" : "")
                  + (array.distinct() ? ".distinct()" : "")
                  + limits(array),
          table -> {
            ArrayElement element = table.elementType();
            return tracked(table, element == null ? OBJECT_MARK + "[]" : nameOf(element) + "[][]");
          },
          threadCount ->
              threadCount.isAutomatic()
                  ? call("threads", threadCount, type(threadCount.type()))
                  : call(
                      "threads",
                      threadCount,
                      type(threadCount.type()),
                      String.valueOf(threadCount.blockSize())),
          shape -> call("shape", shape),
          sharedBytes -> call("dynamicSharedBytes", sharedBytes));

  private SignatureGenerator() {}

  /**
   * A chain: on the declaration's line if it fits there, otherwise with a line for each parameter.
   *
   * @param analysis what the launches need to know about the kernel's code; empty for nothing
   * @param declaration the length of the line up to the expression
   */
  static CodeBlock generate(KernelMethod kernel, String analysis, int declaration) {
    KernelSignature signature = kernel.signature();
    String entry = ".entry(" + StringLiteral.of(signature.entry()) + ")";
    List<String> steps = steps(signature);
    if (!analysis.isEmpty()) {
      steps.add(analysed(analysis));
    }
    int start = declaration + SIGNATURE.simpleName().length() + entry.length();
    int length = start + ";".length();
    for (String step : steps) {
      length += length(step);
    }
    if (length <= SourceLayout.MAX_WIDTH) {
      return CodeBlock.of("$T$L$L", SIGNATURE, entry, withTypes(String.join("", steps), kernel));
    }
    return CodeBlock.of(
        start <= SourceLayout.MAX_WIDTH ? "$T$L$>$>\n$L$<$<" : "\n$>$>$T$L$>$>\n$L$<$<$<$<",
        SIGNATURE,
        entry,
        withTypes(String.join("\n", steps), kernel));
  }

  /** The code of a text, in which marks stand for types that may need their package. */
  private static CodeBlock withTypes(String text, KernelMethod kernel) {
    CodeBlock.Builder code = CodeBlock.builder();
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == SIGNATURE_MARK || c == OBJECT_MARK) {
        code.add("$L$T", text.substring(from, i), c == OBJECT_MARK ? ClassName.OBJECT : SIGNATURE);
        from = i + 1;
      } else if (c == RECORD_MARK) {
        int end = text.indexOf(RECORD_MARK, i + 1);
        code.add(
            "$L$T",
            text.substring(from, i),
            LauncherGenerator.className(kernel.recordOf(text.substring(i + 1, end)).name()));
        i = end;
        from = i + 1;
      }
    }
    return code.add("$L", text.substring(from)).build();
  }

  /** The length of a text with the simple names of its types, or more where it has records. */
  private static int length(String text) {
    int length = text.length();
    for (int i = 0; i < text.length(); i++) {
      length += text.charAt(i) == SIGNATURE_MARK ? SIGNATURE.simpleName().length() - 1 : 0;
      length += text.charAt(i) == OBJECT_MARK ? ClassName.OBJECT.simpleName().length() - 1 : 0;
    }
    return length;
  }

  private static List<String> steps(KernelSignature signature) {
    List<String> steps = new ArrayList<>();
    signature.parameters().forEach(parameter -> steps.add(parameter.match(CALLS)));
    if (signature.dynamicSharedBytes() != 0) {
      steps.add(".dynamicSharedBytes(" + signature.dynamicSharedBytes() + ")");
    }
    if (signature.allowsAliases()) {
      steps.add(".mayAlias()");
    }
    if (signature.isCooperative()) {
      steps.add(".cooperative()");
    }
    if (signature.requiresBounds()) {
      steps.add(".boundsRequired()");
    }
    signature
        .requiredBlock()
        .map(block -> ".requiredBlock(" + block.x() + ", " + block.y() + ", " + block.z() + ")")
        .ifPresent(steps::add);
    return steps;
  }

  /** On a line of its own, and then on as many as it takes. */
  private static String analysed(String analysis) {
    StringBuilder step = new StringBuilder(".analysed(");
    for (int from = 0; from < analysis.length(); from += PIECE) {
      String piece = analysis.substring(from, Math.min(analysis.length(), from + PIECE));
      boolean isFirst = from == 0;
      String line = isFirst ? "\n    " : "\n        + ";
      step.append(analysis.length() <= PIECE ? "" : line).append(StringLiteral.of(piece));
    }
    return step.append(")").toString();
  }

  private static String limits(KernelParameter.Array array) {
    String limits =
        array.limits().stream()
            .map(
                limit -> (limit.isBelow() ? ".below(" : ".atMost(") + name(limit.parameter()) + ")")
            .collect(joining());
    return limits + (array.least() == 0 ? "" : ".least(" + literal(array.least()) + ")");
  }

  private static String literal(long number) {
    return number == (int) number ? String.valueOf(number) : number + "L";
  }

  private static String call(String method, KernelParameter parameter, String... more) {
    String others = more.length == 0 ? "" : ", " + String.join(", ", more);
    return "." + method + "(" + name(parameter.name()) + others + ")";
  }

  private static String type(ElementType type) {
    return type.primitive() + ".class";
  }

  private static String nameOf(ArrayElement element) {
    return element instanceof RecordElement record
        ? RECORD_MARK + record.name() + RECORD_MARK
        : element.typeName();
  }

  private static String tracked(KernelParameter.Tracked parameter, String type) {
    return call(verb(parameter.access()), parameter, type + ".class")
        + (parameter.trusted() ? ".trusted()" : "")
        + (parameter.peer() ? ".peer()" : "");
  }

  /** A structure with its fields: on one line if they fit, otherwise on a line each. */
  private static String struct(KernelParameter.Struct struct) {
    List<String> fields = struct.fields().stream().map(field -> field.match(CALLS)).toList();
    String begin = ".struct(" + SIGNATURE_MARK + ".fields(" + name(struct.name()) + ")";
    String line = begin + String.join("", fields) + ")";
    return INDENT + length(line) <= SourceLayout.MAX_WIDTH
        ? line
        : begin + "\n    " + String.join("\n    ", fields) + ")";
  }

  private static String verb(Access access) {
    return switch (access) {
      case READ -> "reads";
      case WRITE -> "writes";
      case READ_WRITE -> "readWrites";
    };
  }

  /** A name for messages; a class file has no room for one of any length. */
  private static String name(String name) {
    return StringLiteral.of(name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME) + "...");
  }
}
