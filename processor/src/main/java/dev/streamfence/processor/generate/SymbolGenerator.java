package dev.streamfence.processor.generate;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.FieldSpec;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import dev.streamfence.launch.KernelSymbol;
import dev.streamfence.processor.model.SymbolMethod;
import java.util.List;
import javax.lang.model.element.Modifier;

/** Generates what a launcher has for the variables of its module. Stateless. */
final class SymbolGenerator {
  private SymbolGenerator() {}

  /** The calls that declare the variables of an image. */
  static CodeBlock declarations(List<SymbolMethod> symbols) {
    CodeBlock.Builder calls = CodeBlock.builder();
    for (SymbolMethod symbol : symbols) {
      calls.add("\n.symbol($L)", arguments(symbol.symbol()));
    }
    return calls.build();
  }

  /** Adds the field of each array, and its look-up in the constructor. */
  static void addFields(
      List<SymbolMethod> symbols,
      MemberNames names,
      TypeSpec.Builder type,
      MethodSpec.Builder constructor) {
    for (SymbolMethod symbol : symbols) {
      String field = names.field(symbol);
      type.addField(
          FieldSpec.builder(type(symbol), field, Modifier.PRIVATE, Modifier.FINAL)
              .addJavadoc("What {@code $L} returns.", symbol.name())
              .build());
      constructor.addStatement("this.$N = module.symbol($L)", field, arguments(symbol.symbol()));
    }
  }

  /** The override that returns an array. */
  static MethodSpec method(SymbolMethod symbol, MemberNames names) {
    MethodSpec.Builder method =
        MethodSpec.methodBuilder(symbol.name())
            .addAnnotation(AnnotationSpec.builder(Override.class).build())
            .addModifiers(Modifier.PUBLIC)
            .returns(type(symbol))
            .addStatement("return $N", names.field(symbol));
    DeprecationGenerator.mark(symbol.deprecation()).ifPresent(method::addAnnotation);
    return method.build();
  }

  private static TypeName type(SymbolMethod symbol) {
    return LaunchMethodGenerator.handle(symbol.handle(), symbol.symbol().elementType());
  }

  private static CodeBlock arguments(KernelSymbol symbol) {
    return CodeBlock.of(
        "$L, $T[].class", StringLiteral.of(symbol.name()), symbol.elementType().primitive());
  }
}
