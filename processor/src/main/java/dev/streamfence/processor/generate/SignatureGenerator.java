package dev.streamfence.processor.generate;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import dev.streamfence.Access;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.Parameter;
import java.util.ArrayList;
import java.util.List;

/** Generates the expression for a kernel's signature. Stateless. */
final class SignatureGenerator {
  static final ClassName SIGNATURE = ClassName.get(KernelSignature.class);

  private SignatureGenerator() {}

  /**
   * A chain: on the declaration's line if it fits there, otherwise with a line for each parameter.
   *
   * @param declaration the length of the line up to the expression
   */
  static CodeBlock generate(KernelMethod kernel, int declaration) {
    String entry = ".entry(" + StringLiteral.of(kernel.entry().value()) + ")";
    List<String> steps = steps(kernel);
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

  private static List<String> steps(KernelMethod kernel) {
    List<String> steps = new ArrayList<>();
    for (Parameter parameter : kernel.parameters()) {
      steps.add("." + describe(kernel, parameter));
    }
    if (kernel.dynamicSharedBytes() != 0
        && kernel.has(Parameter.ThreadCount.class)
        && !kernel.has(Parameter.SharedBytes.class)) {
      steps.add(".dynamicSharedBytes(" + kernel.dynamicSharedBytes() + ")");
    }
    if (kernel.mayAlias()) {
      steps.add(".mayAlias()");
    }
    if (kernel.isCooperative()) {
      steps.add(".cooperative()");
    }
    return steps;
  }

  private static String describe(KernelMethod kernel, Parameter parameter) {
    String name = StringLiteral.of(parameter.name());
    if (parameter instanceof Parameter.Value value) {
      return "value(" + name + ", " + value.type().primitive() + ".class)";
    }
    if (parameter instanceof Parameter.Buffer buffer) {
      return verb(buffer.access())
          + "("
          + name
          + ", "
          + buffer.element().primitive()
          + "[].class)"
          + (buffer.isTrusted() ? ".trusted()" : "");
    }
    if (parameter instanceof Parameter.Struct struct) {
      StringBuilder call = new StringBuilder("struct(").append(name);
      struct.fields().forEach(f -> call.append(", ").append(f.type().primitive()).append(".class"));
      return call.append(')').toString();
    }
    if (parameter instanceof Parameter.ThreadCount count) {
      return "threads("
          + name
          + ", "
          + count.type().primitive()
          + ".class, "
          + kernel.blockSize()
          + ")";
    }
    return (parameter instanceof Parameter.Shape ? "shape(" : "dynamicSharedBytes(") + name + ")";
  }

  private static String verb(Access access) {
    return switch (access) {
      case READ -> "reads";
      case WRITE -> "writes";
      case READ_WRITE -> "readWrites";
    };
  }
}
