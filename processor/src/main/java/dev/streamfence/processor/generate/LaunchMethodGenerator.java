package dev.streamfence.processor.generate;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
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
    if (kernel.tellsCompletion()) {
      method.returns(Completion.class);
    }
    String recorder = names.recorder(kernel);
    return method
        .addCode(
            "try ($T $L = $L.begin()) {\n$>$L$<}\n",
            LaunchRecorder.class,
            recorder,
            field,
            LaunchSteps.of(kernel, recorder))
        .build();
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
