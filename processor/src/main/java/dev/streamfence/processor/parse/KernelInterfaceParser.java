package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.KernelPlaces;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.model.KernelInterface;
import dev.streamfence.processor.model.QualifiedName;
import dev.streamfence.processor.model.ResourceName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/**
 * Reads annotated interfaces, and reports every mistake in one before it gives up. Confined to one
 * round.
 */
public final class KernelInterfaceParser {
  private static final List<KernelAnnotation> ALL = List.of(KernelAnnotation.values());

  private final Elements elements;
  private final Types types;
  private final AbstractMethods methods;
  private final Surroundings surroundings;

  /** Creates a parser that uses the compiler's utilities. */
  public KernelInterfaceParser(Elements elements, Types types) {
    this.elements = elements;
    this.types = types;
    this.methods = new AbstractMethods(elements, types);
    this.surroundings = new Surroundings(elements, methods);
  }

  /** The check that comes first: with undeclared types no other check is possible. */
  public UnresolvedTypes unresolvedTypes() {
    return new UnresolvedTypes(methods, surroundings);
  }

  /**
   * Whether one of our annotations may use an undeclared constant; another processor may still
   * generate it.
   */
  public boolean mayHaveUnresolvedValues(TypeElement type) {
    return annotations(type).anyMatch(Mirrors::mayBeUnresolved);
  }

  /** Whether one of our annotations certainly does; the compiler reports that in the end. */
  public boolean hasUnresolvedValues(TypeElement type) {
    return annotations(type).anyMatch(Mirrors::isUnresolved);
  }

  /** The name of an interface. */
  public QualifiedName name(TypeElement type) {
    return QualifiedNames.of(type);
  }

  /** Whether every package sees it. */
  public boolean isPublic(TypeElement type) {
    return surroundings.isPublic(type);
  }

  /** Whether it neither has nor inherits a method. */
  public boolean isEmpty(TypeElement type) {
    return methods.declared(type).isEmpty();
  }

  private Stream<AnnotationMirror> annotations(TypeElement type) {
    Stream<? extends Element> members =
        methods.of(type).stream()
            .flatMap(method -> Stream.concat(Stream.of(method), method.getParameters().stream()));
    return Stream.concat(Stream.of(type), members)
        .flatMap(element -> Mirrors.all(element, ALL).stream());
  }

  /** The resource that an interface names, if the name is legal; reports nothing. */
  public Optional<ResourceName> resource(TypeElement type) {
    return Mirrors.find(type, KernelAnnotation.KERNEL_MODULE)
        .flatMap(module -> Mirrors.value(module, "value", String.class))
        .filter(ResourceName::isLegal)
        .map(ResourceName::new);
  }

  /** Where an interface names its resource. */
  public Culprit place(TypeElement type) {
    AnnotationMirror module = Mirrors.find(type, KernelAnnotation.KERNEL_MODULE).orElseThrow();
    return Mirrors.culprit(type, module, "value");
  }

  /**
   * Returns the correct parts of the interface; empty if it is not an interface, or names no legal
   * resource.
   *
   * @param hints the accesses in the code, for messages about missing annotations
   */
  public Optional<ParsedInterface> parse(TypeElement type, AccessHints hints, Mistakes mistakes) {
    AnnotationMirror module = Mirrors.find(type, KernelAnnotation.KERNEL_MODULE).orElseThrow();
    if (type.getKind() != ElementKind.INTERFACE) {
      mistakes.report(
          Problem.NOT_AN_INTERFACE,
          Culprit.of(type, module),
          type.getSimpleName(),
          Descriptions.describe(type.getKind()));
      return Optional.empty();
    }
    new InterfaceRules(methods, surroundings, mistakes).check(type);
    new ErasureRules(methods, types, mistakes).check(type);
    Optional<ResourceName> resource = parseResource(type, module, mistakes);
    List<ExecutableElement> kernels = withoutAmbiguous(type, mistakes);
    List<ExecutableElement> variables =
        kernels.stream().filter(each -> Mirrors.has(each, KernelAnnotation.SYMBOL)).toList();
    kernels.removeAll(variables);
    if (kernels.isEmpty() && !hasKernelWithBody(type)) {
      mistakes.report(Problem.EMPTY_MODULE, Culprit.of(type, module), type.getSimpleName());
    }
    List<ParsedKernel> parsed = new ArrayList<>();
    List<ParsedSymbol> symbols = new ArrayList<>();
    SymbolMethodParser symbolParser = new SymbolMethodParser(elements, mistakes);
    for (ExecutableElement variable : variables) {
      symbolParser.parse(variable, methods.asMember(type, variable)).ifPresent(symbols::add);
    }
    KernelMethodParser parser =
        new KernelMethodParser(elements, type, hints, !variables.isEmpty(), mistakes);
    for (ExecutableElement kernel : kernels) {
      parser
          .parse(kernel, methods.asMember(type, kernel))
          .ifPresent(method -> parsed.add(new ParsedKernel(method, places(kernel))));
    }
    boolean isComplete =
        !mistakes.hasErrors()
            && parsed.size() == kernels.size()
            && symbols.size() == variables.size()
            && !parsed.isEmpty();
    return resource.map(
        name ->
            new ParsedInterface(
                name,
                place(type),
                parsed,
                symbols,
                isComplete ? Optional.of(source(type, name, parsed, symbols)) : Optional.empty()));
  }

  private KernelInterface source(
      TypeElement type,
      ResourceName resource,
      List<ParsedKernel> kernels,
      List<ParsedSymbol> symbols) {
    return new KernelInterface(
        QualifiedNames.of(type),
        resource,
        kernels.stream().map(ParsedKernel::kernel).toList(),
        symbols.stream().map(ParsedSymbol::symbol).toList(),
        surroundings.isPublic(type),
        Deprecations.around(type, elements),
        surroundings.takenNames(type),
        surroundings.readsCompilerModule(type));
  }

  private static KernelPlaces places(ExecutableElement method) {
    AnnotationMirror kernel = Mirrors.find(method, KernelAnnotation.KERNEL).orElseThrow();
    return new KernelPlaces(
        method,
        Mirrors.culprit(method, kernel, "value"),
        Mirrors.culprit(
            method,
            kernel,
            Mirrors.attribute(kernel, RequiredBlock.NAME).isPresent()
                ? RequiredBlock.NAME
                : KernelAttributes.BLOCK_SIZE));
  }

  private Optional<ResourceName> parseResource(
      TypeElement type, AnnotationMirror module, Mistakes mistakes) {
    Optional<String> written = Mirrors.value(module, "value", String.class);
    if (written.isEmpty()) {
      return Optional.empty();
    }
    String name = written.get();
    if (ResourceName.isLegal(name)) {
      return Optional.of(new ResourceName(name).code());
    }
    mistakes.report(
        Problem.RESOURCE_NAME,
        Culprit.of(type, module, Mirrors.attribute(module, "value").orElseThrow()),
        Descriptions.quote(name),
        ResourceName.MAX_LENGTH);
    return Optional.empty();
  }

  /**
   * Whether a non-abstract method has {@code @Kernel}: that is reported already, and the interface
   * is not called empty.
   */
  private static boolean hasKernelWithBody(TypeElement type) {
    return ElementFilter.methodsIn(type.getEnclosedElements()).stream()
        .anyMatch(method -> Mirrors.has(method, KernelAnnotation.KERNEL));
  }

  private List<ExecutableElement> withoutAmbiguous(TypeElement type, Mistakes mistakes) {
    List<ExecutableElement> kernels = new ArrayList<>();
    Map<String, List<ExecutableElement>> kernelsByName = new HashMap<>();
    Set<ExecutableElement> ambiguous = new HashSet<>();
    for (ExecutableElement method : methods.of(type)) {
      List<ExecutableElement> namesakes =
          kernelsByName.computeIfAbsent(
              method.getSimpleName().toString(), name -> new ArrayList<>());
      Optional<ExecutableElement> twin =
          namesakes.stream().filter(k -> methods.isSameSignature(type, k, method)).findFirst();
      if (twin.isEmpty()) {
        kernels.add(method);
        namesakes.add(method);
      } else if (ambiguous.add(twin.get())) {
        mistakes.report(
            Problem.AMBIGUOUS_KERNEL,
            Culprit.of(type),
            method.getSimpleName(),
            Culprit.of(twin.get()).enclosingType().getSimpleName(),
            Culprit.of(method).enclosingType().getSimpleName(),
            type.getSimpleName());
      }
    }
    return kernels;
  }
}
