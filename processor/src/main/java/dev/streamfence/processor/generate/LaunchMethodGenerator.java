package dev.streamfence.processor.generate;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import dev.streamfence.Access;
import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.LaunchShape;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.Parameter;
import javax.lang.model.element.Modifier;

/** Generates the method that launches one kernel. Immutable. */
final class LaunchMethodGenerator {
  private final MemberNames names;

  LaunchMethodGenerator(MemberNames names) {
    this.names = names;
  }

  /**
   * The override of the kernel's method, with one call of the recorder per step.
   *
   * @param field the expression for the kernel's recorder
   */
  MethodSpec generate(KernelMethod kernel, String field) {
    MethodSpec.Builder method =
        MethodSpec.methodBuilder(kernel.name())
            .addAnnotation(Override.class)
            .addModifiers(Modifier.PUBLIC);
    DeprecationGenerator.mark(kernel.deprecation()).ifPresent(method::addAnnotation);
    kernel.parameters().forEach(p -> method.addParameter(typeOf(p), p.name()));
    String recorder = names.recorder(kernel);
    method.beginControlFlow("try ($T $N = $L.begin())", LaunchRecorder.class, recorder, field);
    int index = 0;
    for (Parameter parameter : kernel.parameters()) {
      if (parameter.isPassed()) {
        method.addCode(pass(recorder, index++, parameter));
      }
    }
    kernel.parameters().forEach(p -> method.addCode(configure(recorder, p)));
    method
        .addStatement("$N.preflight()", recorder)
        .addStatement("$N.launch()", recorder)
        .addStatement("$N.commit()", recorder);
    if (kernel.tellsCompletion()) {
      method.returns(Completion.class).addStatement("return $N.completion()", recorder);
    }
    return method.endControlFlow().build();
  }

  private static CodeBlock pass(String recorder, int index, Parameter parameter) {
    if (parameter instanceof Parameter.Struct struct) {
      return passStruct(recorder, index, struct);
    }
    String call = parameter instanceof Parameter.Buffer buffer ? verb(buffer.access()) : "value";
    return statement("$N.$L($L, $N)", recorder, call, index, parameter.name());
  }

  private static CodeBlock passStruct(String recorder, int index, Parameter.Struct struct) {
    CodeBlock.Builder fields = CodeBlock.builder();
    fields.addStatement("$N.struct($L, $N)", recorder, index, struct.name());
    for (int i = 0; i < struct.fields().size(); i++) {
      String field = struct.fields().get(i).name();
      fields.addStatement("$N.field($L, $L, $N.$N())", recorder, index, i, struct.name(), field);
    }
    return fields.build();
  }

  private static CodeBlock statement(String format, Object... arguments) {
    return CodeBlock.builder().addStatement(format, arguments).build();
  }

  private static CodeBlock configure(String recorder, Parameter parameter) {
    String call;
    if (parameter instanceof Parameter.ThreadCount) {
      call = "threads";
    } else if (parameter instanceof Parameter.Shape) {
      call = "shape";
    } else if (parameter instanceof Parameter.SharedBytes) {
      call = "dynamicSharedBytes";
    } else {
      return CodeBlock.of("");
    }
    return statement("$N.$L($N)", recorder, call, parameter.name());
  }

  private static String verb(Access access) {
    return switch (access) {
      case READ -> "reads";
      case WRITE -> "writes";
      case READ_WRITE -> "readWrites";
    };
  }

  private static TypeName typeOf(Parameter parameter) {
    if (parameter instanceof Parameter.Value value) {
      return TypeName.get(value.type().primitive());
    }
    if (parameter instanceof Parameter.ThreadCount count) {
      return TypeName.get(count.type().primitive());
    }
    if (parameter instanceof Parameter.Buffer buffer) {
      return ParameterizedTypeName.get(
          ClassName.get(DeviceArray.class), ArrayTypeName.of(buffer.element().primitive()));
    }
    if (parameter instanceof Parameter.Struct struct) {
      return LauncherGenerator.className(struct.type());
    }
    return parameter instanceof Parameter.Shape ? ClassName.get(LaunchShape.class) : TypeName.INT;
  }
}
