package dev.streamfence.processor.generate;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import dev.streamfence.Access;
import dev.streamfence.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelParameter.Cases;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.StructLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Generates the expression for a kernel's signature. Stateless. */
final class SignatureGenerator {
  static final ClassName SIGNATURE = ClassName.get(KernelSignature.class);

  /** The calls that describe one parameter. */
  private static final Cases<String> CALLS =
      new Cases<>(
          value -> call("value", value, type(value.type())),
          struct -> call("struct", struct, types(struct.layout())),
          array ->
              call(verb(array.access()), array, array.elementType().primitive() + "[].class")
                  + (array.trusted() ? ".trusted()" : ""),
          threadCount ->
              call(
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
   * @param declaration the length of the line up to the expression
   */
  static CodeBlock generate(KernelSignature signature, int declaration) {
    String entry = ".entry(" + StringLiteral.of(signature.entry()) + ")";
    List<String> steps = steps(signature);
    int start = declaration + SIGNATURE.simpleName().length() + entry.length();
    int length = start + ";".length();
    for (String step : steps) {
      length += step.length();
    }
    if (length <= SourceLayout.MAX_WIDTH) {
      return CodeBlock.of("$T$L$L", SIGNATURE, entry, String.join("", steps));
    }
    return CodeBlock.of(
        start <= SourceLayout.MAX_WIDTH ? "$T$L$>$>\n$L$<$<" : "\n$>$>$T$L$>$>\n$L$<$<$<$<",
        SIGNATURE,
        entry,
        String.join("\n", steps));
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
    return steps;
  }

  private static String call(String method, KernelParameter parameter, String... more) {
    String others = more.length == 0 ? "" : ", " + String.join(", ", more);
    return "." + method + "(" + StringLiteral.of(parameter.name()) + others + ")";
  }

  private static String type(ElementType type) {
    return type.primitive() + ".class";
  }

  private static String[] types(StructLayout layout) {
    return IntStream.range(0, layout.fields())
        .mapToObj(field -> type(layout.type(field)))
        .toArray(String[]::new);
  }

  private static String verb(Access access) {
    return switch (access) {
      case READ -> "reads";
      case WRITE -> "writes";
      case READ_WRITE -> "readWrites";
    };
  }
}
