package dev.streamfence.processor.generate;

import com.palantir.javapoet.CodeBlock;
import dev.streamfence.Access;
import dev.streamfence.ElementType;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.Parameter;

/** Generates the expression that builds a kernel's signature. Immutable. */
final class SignatureGenerator {
  private SignatureGenerator() {}

  /** A chain with one call per line, starting on a new line, indented from the declaration. */
  static CodeBlock generate(KernelMethod kernel) {
    CodeBlock.Builder chain =
        CodeBlock.builder()
            .add(
                "\n$>$>$T.entry($L)",
                KernelSignature.class,
                StringLiteral.of(kernel.entry().value()))
            .add("$>$>");
    kernel.parameters().forEach(parameter -> chain.add("\n").add(describe(parameter)));
    if (kernel.has(Parameter.ThreadCount.class)) {
      chain.add("\n.blockSize($L)", kernel.blockSize());
      if (kernel.dynamicSharedBytes() != 0 && !kernel.has(Parameter.SharedBytes.class)) {
        chain.add("\n.dynamicSharedBytes($L)", kernel.dynamicSharedBytes());
      }
    }
    if (kernel.mayAlias()) {
      chain.add("\n.mayAlias()");
    }
    if (kernel.isCooperative()) {
      chain.add("\n.cooperative()");
    }
    return chain.add("\n.build()").add("$<$<$<$<").build();
  }

  private static CodeBlock describe(Parameter parameter) {
    String name = StringLiteral.of(parameter.name());
    if (parameter instanceof Parameter.Value value) {
      return CodeBlock.of(".value($L, $T.class)", name, value.type().primitive());
    }
    if (parameter instanceof Parameter.Buffer buffer) {
      return CodeBlock.of(
          ".$L($L, $T.$L, $T.$L)",
          buffer.isTrusted() ? "trustedBuffer" : "buffer",
          name,
          ElementType.class,
          buffer.element(),
          Access.class,
          buffer.access());
    }
    if (parameter instanceof Parameter.Struct struct) {
      CodeBlock.Builder fields = CodeBlock.builder().add(".struct($L", name);
      struct.fields().forEach(field -> fields.add(", $T.class", field.type().primitive()));
      return fields.add(")").build();
    }
    if (parameter instanceof Parameter.ThreadCount count) {
      return CodeBlock.of(".threadCount($L, $T.class)", name, count.type().primitive());
    }
    if (parameter instanceof Parameter.Shape) {
      return CodeBlock.of(".launchShape($L)", name);
    }
    return CodeBlock.of(".dynamicSharedBytesParameter($L)", name);
  }
}
