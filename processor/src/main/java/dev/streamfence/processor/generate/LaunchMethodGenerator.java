package dev.streamfence.processor.generate;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.WildcardTypeName;
import dev.streamfence.Completion;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelParameter.Cases;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.RecordElement;
import dev.streamfence.processor.model.HandleType;
import dev.streamfence.processor.model.KernelCode;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.NullMark;
import dev.streamfence.processor.model.TableType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.lang.model.element.Modifier;

/** Generates the method that launches one kernel. Immutable. */
final class LaunchMethodGenerator {
  // Names are kept, since JavaPoet makes one from a class by taking the class's name apart.
  static final ClassName RECORDER = ClassName.get(LaunchRecorder.class);
  private static final ClassName COMPLETION = ClassName.get(Completion.class);
  private static final ClassName SHAPE = ClassName.get(LaunchShape.class);
  private static final AnnotationSpec OVERRIDE = AnnotationSpec.builder(Override.class).build();
  private static final Map<ElementType, TypeName> NUMBERS =
      forEach(type -> TypeName.get(type.primitive()));
  private static final Map<HandleType, HandleNames> HANDLES =
      Arrays.stream(HandleType.values())
          .collect(Collectors.toUnmodifiableMap(handle -> handle, HandleNames::of));

  private static final ClassName LIST = ClassName.get(List.class);
  private static final ClassName TABLE_OF_COLUMNS =
      LauncherGenerator.className(TableType.DEVICE_TABLE);

  private final MemberNames names;
  private final Map<KernelMethod, KernelCode> code;

  LaunchMethodGenerator(MemberNames names, Map<KernelMethod, KernelCode> code) {
    this.names = names;
    this.code = code;
  }

  /**
   * The override of the kernel's method, with one call of the recorder per step.
   *
   * @param field the expression for the kernel's recorder
   */
  MethodSpec generate(KernelMethod kernel, String field) {
    MethodSpec.Builder method =
        MethodSpec.methodBuilder(kernel.name())
            .addAnnotation(OVERRIDE)
            .addModifiers(Modifier.PUBLIC);
    DeprecationGenerator.mark(kernel.deprecation()).ifPresent(method::addAnnotation);
    KernelCode known = LauncherGenerator.codeOf(kernel, code);
    if (!known.bounds().isEmpty()) {
      method.addJavadoc("{@inheritDoc}\n\n<p>Bounds: $L.", String.join("; ", known.bounds()));
    }
    if (!known.races().isEmpty()) {
      String begin = known.bounds().isEmpty() ? "{@inheritDoc}" : "";
      method.addJavadoc("$L\n\n<p>Races: $L.", begin, known.races());
    }
    Cases<TypeName> types = types(kernel);
    kernel.parameters().forEach(p -> method.addParameter(parameter(kernel, p, types)));
    if (kernel.tellsCompletion()) {
      method.returns(COMPLETION);
    }
    String recorder = names.recorder(kernel);
    return method
        .addCode(
            "try ($T $L = $L.begin()) {\n$>$L$<}\n",
            RECORDER,
            recorder,
            field,
            LaunchSteps.of(kernel, recorder))
        .build();
  }

  private static ParameterSpec parameter(
      KernelMethod kernel, KernelParameter parameter, Cases<TypeName> types) {
    TypeName type = parameter.match(types);
    Optional<NullMark> mark = kernel.nullMarkOf(parameter);
    if (mark.isEmpty()) {
      return ParameterSpec.builder(type, parameter.name()).build();
    }
    AnnotationSpec annotation =
        AnnotationSpec.builder(LauncherGenerator.className(mark.get().annotation())).build();
    return mark.get().isOnType()
        ? ParameterSpec.builder(type.annotated(annotation), parameter.name()).build()
        : ParameterSpec.builder(type, parameter.name()).addAnnotation(annotation).build();
  }

  private static Cases<TypeName> types(KernelMethod kernel) {
    return new Cases<>(
        value -> number(value.type()),
        struct -> LauncherGenerator.className(kernel.recordOf(struct).name()),
        array -> handle(kernel, kernel.handleOf(array), array.elementType()),
        table -> table(kernel, table),
        threadCount -> number(threadCount.type()),
        shape -> SHAPE,
        sharedBytes -> TypeName.INT);
  }

  private static TypeName table(KernelMethod kernel, KernelParameter.Table table) {
    HandleType handle = kernel.handleOf(table);
    ArrayElement element = table.elementType();
    TypeName array = element == null ? names(handle).ofAny() : handle(kernel, handle, element);
    return switch (kernel.typeOf(table)) {
      case ARRAY -> ArrayTypeName.of(array);
      case LIST -> ParameterizedTypeName.get(LIST, array);
      case LIST_OF_SUBTYPES -> ParameterizedTypeName.get(LIST, WildcardTypeName.subtypeOf(array));
      case TABLE_OF_COLUMNS -> TABLE_OF_COLUMNS;
    };
  }

  /** The type of an array's handle. */
  private static TypeName handle(KernelMethod kernel, HandleType handle, ArrayElement element) {
    return element instanceof RecordElement record
        ? ParameterizedTypeName.get(
            LauncherGenerator.className(handle.type()),
            ArrayTypeName.of(LauncherGenerator.className(kernel.recordOf(record.name()).name())))
        : handle(handle, (ElementType) element);
  }

  /** The type of the handle of an array of primitives. */
  static TypeName handle(HandleType handle, ElementType element) {
    return Objects.requireNonNull(names(handle).of().get(element));
  }

  private static HandleNames names(HandleType handle) {
    return Objects.requireNonNull(HANDLES.get(handle));
  }

  /**
   * The names of one kind of handle.
   *
   * @param of for each element
   * @param ofAny for a table with arrays of any elements
   */
  private record HandleNames(Map<ElementType, TypeName> of, TypeName ofAny) {
    static HandleNames of(HandleType handle) {
      ClassName name = LauncherGenerator.className(handle.type());
      return new HandleNames(
          forEach(type -> ParameterizedTypeName.get(name, ArrayTypeName.of(type.primitive()))),
          ParameterizedTypeName.get(name, WildcardTypeName.subtypeOf(Object.class)));
    }
  }

  private static Map<ElementType, TypeName> forEach(Function<ElementType, TypeName> name) {
    return Arrays.stream(ElementType.values())
        .collect(Collectors.toUnmodifiableMap(type -> type, name));
  }

  private static TypeName number(ElementType type) {
    return Objects.requireNonNull(NUMBERS.get(type));
  }
}
