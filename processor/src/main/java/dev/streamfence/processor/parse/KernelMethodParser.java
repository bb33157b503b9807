// Long because a method's parameters are read together: each rule is about several of them.
package dev.streamfence.processor.parse;

import dev.streamfence.internal.ptx.check.Passing;
import dev.streamfence.launch.Access;
import dev.streamfence.launch.ElementLimit;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelParameter.Cases;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.PlacedParameter;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.model.HandleType;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.NullMark;
import dev.streamfence.processor.model.RecordType;
import dev.streamfence.processor.model.TableType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.ExecutableType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;

/** Reads one abstract method. Confined to one thread at a time, like its mistakes. */
final class KernelMethodParser {
  private static final Cases<List<Access>> ACCESSES =
      new Cases<>(
          value -> List.of(),
          struct ->
              struct.fields().stream()
                  .flatMap(field -> field.match(KernelMethodParser.ACCESSES).stream())
                  .toList(),
          array -> List.of(array.access()),
          // A table has any number of arrays.
          table -> List.of(table.access(), table.access()),
          threadCount -> List.of(),
          shape -> List.of(),
          sharedBytes -> List.of());

  private final Elements elements;
  private final TypeElement owner;
  private final AccessHints hints;
  private final boolean hasSymbols;
  private final Mistakes mistakes;

  /**
   * Creates a parser.
   *
   * @param hasSymbols whether the interface also gives variables, which a kernel uses by itself
   */
  KernelMethodParser(
      Elements elements,
      TypeElement owner,
      AccessHints hints,
      boolean hasSymbols,
      Mistakes mistakes) {
    this.hasSymbols = hasSymbols;
    this.elements = elements;
    this.owner = owner;
    this.hints = hints;
    this.mistakes = mistakes;
  }

  /** The method with its parameters' types as a member of the interface; empty after a mistake. */
  Optional<KernelMethod> parse(ExecutableElement method, ExecutableType member) {
    List<? extends TypeMirror> types = member.getParameterTypes();
    Optional<AnnotationMirror> kernel = Mirrors.find(method, KernelAnnotation.KERNEL);
    if (kernel.isEmpty()) {
      mistakes.report(Problem.MISSING_KERNEL, Culprit.of(method), method.getSimpleName());
      return Optional.empty();
    }
    if (!JavaNames.isWritable(method)) {
      mistakes.report(
          Problem.NO_JAVA_NAME,
          Culprit.of(method),
          Descriptions.quote(method.getSimpleName().toString()),
          "implement");
      return Optional.empty();
    }
    int before = mistakes.errors();
    MethodRules.check(method, mistakes);
    checkReturned(method, member.getReturnType());
    List<VariableElement> shapes = shapes(method, types);
    Optional<KernelAttributes> attributes =
        KernelAttributes.parse(method, kernel.get(), shapes, mistakes);
    StructParser structs = new StructParser(elements, owner, mistakes);
    ElementParser arrayElements = new ElementParser(elements, structs, mistakes);
    List<KernelParameter> parameters =
        parseParameters(
            // Nothing is built without attributes, so any block size will do then.
            new ParameterParser(
                method,
                attributes.map(KernelAttributes::blockSize).orElse(1),
                structs,
                arrayElements,
                mistakes),
            method,
            types,
            KernelAttributes.entryName(method, kernel.get()));
    new ShapeRules(mistakes).check(method, shapes);
    checkArguments(method, parameters);
    // The model rejects values with mistakes, so nothing is built from them.
    if (mistakes.errors() > before || parameters.size() < types.size() || attributes.isEmpty()) {
      return Optional.empty();
    }
    KernelSignature signature = attributes.get().signature();
    for (KernelParameter parameter : parameters) {
      signature = signature.with(parameter);
    }
    if (signature.allowsAliases()) {
      checkAliases(method, kernel.get(), parameters);
    }
    checkLimits(method, signature);
    if (mistakes.errors() > before) {
      return Optional.empty();
    }
    return Optional.of(
        new KernelMethod(
            method.getSimpleName().toString(),
            signature,
            records(structs, arrayElements),
            handles(parameters, types),
            tables(parameters, types),
            nullMarks(method, parameters, types),
            attributes.get().refusesRaces(),
            TypeKinds.isCompletion(member.getReturnType()),
            Deprecations.of(method, elements)));
  }

  private static Map<String, RecordType> records(StructParser structs, ElementParser elements) {
    Map<String, RecordType> records = new HashMap<>(structs.records());
    records.putAll(elements.records());
    return records;
  }

  /** The types of the parameters that are arrays, and of the arrays in tables, by name. */
  private static Map<String, HandleType> handles(
      List<KernelParameter> parameters, List<? extends TypeMirror> types) {
    Map<String, HandleType> handles = new HashMap<>();
    for (int i = 0; i < parameters.size(); i++) {
      String name = parameters.get(i).name();
      TypeMirror type = types.get(i);
      if (TypeKinds.isTableOfColumns(type)) {
        handles.put(name, HandleType.READABLE_COLUMN);
      }
      TypeKinds.handleType(TypeKinds.arrayIn(type)).ifPresent(handle -> handles.put(name, handle));
    }
    return handles;
  }

  /** The types of the parameters that are tables, by name. */
  private static Map<String, TableType> tables(
      List<KernelParameter> parameters, List<? extends TypeMirror> types) {
    Map<String, TableType> tables = new HashMap<>();
    for (int i = 0; i < parameters.size(); i++) {
      if (TypeKinds.isTable(types.get(i))) {
        tables.put(parameters.get(i).name(), TypeKinds.tableType(types.get(i)));
      }
    }
    return tables;
  }

  /** The annotations that say that optional arrays may be null, by name. */
  private Map<String, NullMark> nullMarks(
      ExecutableElement method,
      List<KernelParameter> parameters,
      List<? extends TypeMirror> types) {
    Map<String, NullMark> marks = new HashMap<>();
    for (int i = 0; i < parameters.size(); i++) {
      if (parameters.get(i) instanceof KernelParameter.Array array && array.optional()) {
        NullMarks.of(method.getParameters().get(i), types.get(i), owner, elements)
            .ifPresent(mark -> marks.put(array.name(), mark));
      }
    }
    return marks;
  }

  /** Warns if {@code mayAlias} has no effect, because no array is written or there is only one. */
  private void checkAliases(
      ExecutableElement method, AnnotationMirror kernel, List<KernelParameter> parameters) {
    List<Access> accesses =
        parameters.stream().flatMap(parameter -> parameter.match(ACCESSES).stream()).toList();
    boolean isOneOfTwo = hasSymbols && !accesses.isEmpty();
    if (!isOneOfTwo && (accesses.size() < 2 || accesses.stream().noneMatch(Access::writes))) {
      mistakes.report(
          Problem.NEEDLESS_ALIAS,
          Mirrors.culprit(method, kernel, "mayAlias"),
          method.getSimpleName());
    }
  }

  /** Requires that what limits numbers in arrays is there. */
  private void checkLimits(ExecutableElement method, KernelSignature signature) {
    for (PlacedParameter placed : signature.placed()) {
      if (placed.parameter() instanceof KernelParameter.Array array) {
        for (ElementLimit limit : array.limits()) {
          if (signature.limiting(placed, limit).isEmpty()) {
            VariableElement parameter = method.getParameters().get(placed.index());
            mistakes.report(
                Problem.UNKNOWN_LIMIT,
                Mirrors.find(parameter, KernelAnnotation.READS)
                    .map(
                        reads ->
                            Mirrors.culprit(parameter, reads, limit.isBelow() ? "below" : "atMost"))
                    .orElseGet(() -> Culprit.of(parameter)),
                placed.name(),
                limit.inWords(),
                method.getSimpleName(),
                signature.limitsInWords());
          }
        }
      }
    }
  }

  private void checkArguments(ExecutableElement method, List<KernelParameter> parameters) {
    long bytes = ArgumentSpace.sizeInBytes(parameters);
    if (bytes > ArgumentSpace.MAX_BYTES) {
      mistakes.report(
          Problem.ARGUMENT_BYTES,
          Culprit.of(method),
          method.getSimpleName(),
          bytes,
          ArgumentSpace.MAX_BYTES);
    }
  }

  private void checkReturned(ExecutableElement method, TypeMirror returned) {
    if (returned.getKind() != TypeKind.VOID && !TypeKinds.isCompletion(returned)) {
      mistakes.report(
          Problem.RETURNS_VALUE,
          Culprit.of(method),
          method.getSimpleName(),
          Descriptions.describe(returned));
    }
  }

  private List<KernelParameter> parseParameters(
      ParameterParser parser,
      ExecutableElement method,
      List<? extends TypeMirror> types,
      String entry) {
    List<KernelParameter> parsed = new ArrayList<>();
    int last = types.size() - 1;
    int passed = 0;
    Supplier<List<Optional<Access>>> hinted = once(() -> hints.of(entry, passing(method, types)));
    for (int i = 0; i <= last; i++) {
      VariableElement parameter = method.getParameters().get(i);
      if (i == last && method.isVarArgs()) {
        mistakes.report(
            Problem.VARARGS,
            Culprit.of(parameter),
            parameter.getSimpleName(),
            method.getSimpleName());
      } else {
        int index = passed;
        parser
            .parse(parameter, types.get(i), () -> hint(hinted.get(), index))
            .ifPresent(parsed::add);
        passed += ParameterParser.isPassed(parameter, types.get(i)) ? 1 : 0;
      }
    }
    return parsed;
  }

  private static Optional<Access> hint(List<Optional<Access>> hints, int index) {
    return index < hints.size() ? hints.get(index) : Optional.empty();
  }

  /** For each parameter that the kernel receives, how it is passed. */
  private static List<Passing> passing(ExecutableElement method, List<? extends TypeMirror> types) {
    return IntStream.range(0, types.size())
        .filter(i -> ParameterParser.isPassed(method.getParameters().get(i), types.get(i)))
        .mapToObj(i -> passing(types.get(i)))
        .toList();
  }

  private static Passing passing(TypeMirror type) {
    if (TypeKinds.isHandle(type)) {
      return Passing.ARRAY;
    }
    return TypeKinds.isTable(type) ? Passing.TABLE : Passing.BY_VALUE;
  }

  /** Remembers a supplier's result, because analysing code takes long. */
  private static <T> Supplier<T> once(Supplier<T> supplier) {
    List<T> found = new ArrayList<>(1);
    return () -> {
      if (found.isEmpty()) {
        found.add(supplier.get());
      }
      return found.get(0);
    };
  }

  private static List<VariableElement> shapes(
      ExecutableElement method, List<? extends TypeMirror> types) {
    List<VariableElement> shapes = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      // A varargs parameter has been reported as such; do not report a missing shape as well.
      boolean isLastOfMany = method.isVarArgs() && i == types.size() - 1;
      TypeMirror type = isLastOfMany ? ((ArrayType) types.get(i)).getComponentType() : types.get(i);
      if (TypeKinds.isLaunchShape(type)) {
        shapes.add(method.getParameters().get(i));
      }
    }
    return shapes;
  }
}
