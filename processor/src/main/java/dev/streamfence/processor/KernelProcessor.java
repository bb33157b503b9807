package dev.streamfence.processor;

import com.google.auto.service.AutoService;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.generate.LauncherGenerator;
import dev.streamfence.processor.generate.LauncherSize;
import dev.streamfence.processor.model.KernelCode;
import dev.streamfence.processor.model.KernelInterface;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.QualifiedName;
import dev.streamfence.processor.model.ResourceName;
import dev.streamfence.processor.parse.KernelAnnotation;
import dev.streamfence.processor.parse.KernelInterfaceParser;
import dev.streamfence.processor.parse.ParsedInterface;
import dev.streamfence.processor.parse.ParsedKernel;
import dev.streamfence.processor.parse.StrayAnnotations;
import dev.streamfence.processor.verify.CodeVerifier;
import dev.streamfence.processor.verify.ModuleCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ModuleElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.tools.Diagnostic;
import org.jspecify.annotations.Nullable;

/**
 * Generates a launcher for each interface that is annotated with {@code @KernelModule}, and refuses
 * interfaces that cannot be launched safely. An interface that names a missing type waits for the
 * round in which the type exists. Claims no annotation, so other processors can process them as
 * well. Confined to one thread at a time.
 */
@AutoService(Processor.class)
public final class KernelProcessor extends AbstractProcessor {
  /** Lists what is known of each array's bounds. */
  private static final String BOUNDS_OPTION = "streamfence.bounds";

  /** Interfaces that wait for a later round. */
  private final Set<Waiting> deferred = new LinkedHashSet<>();

  private final LauncherNames names = new LauncherNames();
  private @Nullable VisibleResources resources;

  /** Not released with the resources: a file can be written only once. */
  private @Nullable CompiledModules compiled;

  private boolean isWrongFolderTold;
  private boolean hidesMethods;

  /** An interface by its name: elements do not outlive a round. */
  private record Waiting(String module, String name) {}

  /** Called by the compiler, through its service loader. */
  public KernelProcessor() {}

  @Override
  public SourceVersion getSupportedSourceVersion() {
    return SourceVersion.latestSupported();
  }

  /**
   * All: javac warns about the options of a processor that it does not run, also where no interface
   * of kernels is among the sources, such as those of tests.
   */
  @Override
  public Set<String> getSupportedAnnotationTypes() {
    return Set.of("*");
  }

  @Override
  public Set<String> getSupportedOptions() {
    Set<String> options = new LinkedHashSet<>(CompilerOptions.names());
    options.add(VisibleResources.OPTION);
    options.add(BOUNDS_OPTION);
    return options;
  }

  @Override
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    Guard guard = new Guard(processingEnv.getMessager(), () -> resources = null);
    guard.aboutARound(() -> process(annotations, round, guard));
    return false;
  }

  private void process(Set<? extends TypeElement> all, RoundEnvironment round, Guard guard) {
    names.addSources(round.getRootElements(), this::moduleOf);
    Set<TypeElement> annotations =
        all.stream()
            .filter(type -> KernelAnnotation.of(type).isPresent())
            .collect(Collectors.toCollection(LinkedHashSet::new));
    if (annotations.isEmpty() && deferred.isEmpty()) {
      return;
    }
    Set<TypeElement> typesOfMembers = typesOfAnnotatedMembers(annotations, round);
    List<TypeElement> interfaces = takeDeferred();
    interfaces.addAll(modules(annotations, round));
    KernelInterfaceParser parser =
        new KernelInterfaceParser(elements(), processingEnv.getTypeUtils());
    Set<TypeElement> covered = new HashSet<>();
    for (TypeElement type : interfaces) {
      guard.about(
          type,
          mistakes -> {
            launch(parser, type, mistakes, round.processingOver());
            covered.addAll(mistakes.covered());
            if (mistakes.hasErrors() && !round.processingOver()) {
              new LauncherPlaceholder(processingEnv.getFiler(), names)
                  .write(parser, type, moduleOf(type), mistakes);
            }
          });
    }
    typesOfMembers.removeAll(covered);
    for (TypeElement type : typesOfMembers) {
      guard.about(type, mistakes -> StrayAnnotations.check(type, mistakes));
    }
  }

  private static Set<TypeElement> modules(
      Set<? extends TypeElement> annotations, RoundEnvironment round) {
    Set<Element> annotated = new LinkedHashSet<>();
    for (TypeElement type : annotations) {
      if (KernelAnnotation.of(type).equals(Optional.of(KernelAnnotation.KERNEL_MODULE))) {
        annotated.addAll(round.getElementsAnnotatedWith(type));
      }
    }
    return ElementFilter.typesIn(annotated);
  }

  /** The types with a method or constructor that carries one of our annotations. */
  private Set<TypeElement> typesOfAnnotatedMembers(
      Set<? extends TypeElement> annotations, RoundEnvironment round) {
    TypeElement[] onMembers =
        annotations.stream()
            .filter(
                type -> KernelAnnotation.of(type).filter(KernelAnnotation::isOnMembers).isPresent())
            .toArray(TypeElement[]::new);
    Set<TypeElement> types = new LinkedHashSet<>();
    for (Element element : round.getElementsAnnotatedWithAny(onMembers)) {
      // Eclipse's compiler hides methods with wrong types, but shows their annotated parameters.
      Culprit.typeAround(element).ifPresentOrElse(types::add, () -> hidesMethods = true);
    }
    // Eclipse's compiler does not show members of annotation types.
    addAnnotationTypes(round.getRootElements(), types);
    return types;
  }

  private static void addAnnotationTypes(
      Iterable<? extends Element> elements, Set<TypeElement> types) {
    for (Element element : elements) {
      if (element instanceof TypeElement type) {
        if (type.getKind() == ElementKind.ANNOTATION_TYPE) {
          types.add(type);
        }
        addAnnotationTypes(type.getEnclosedElements(), types);
      }
    }
  }

  private void launch(
      KernelInterfaceParser parser, TypeElement type, Mistakes mistakes, boolean isLastRound) {
    var unresolved = parser.unresolvedTypes().firstIn(type);
    boolean mayLackValues = parser.mayHaveUnresolvedValues(type);
    if (!isLastRound && (unresolved.isPresent() || mayLackValues)) {
      deferred.add(new Waiting(moduleOf(type), type.getQualifiedName().toString()));
    } else if (unresolved.isPresent()) {
      mistakes.report(
          Problem.UNRESOLVED_TYPE,
          Culprit.of(type),
          type.getSimpleName(),
          unresolved.get().inWords());
    } else if (!(mayLackValues && parser.hasUnresolvedValues(type))
        && !(hidesMethods && parser.isEmpty(type))) {
      ModuleCode code =
          parser
              .resource(type)
              .map(name -> code(name, type, parser.place(type), mistakes))
              .orElseGet(ModuleCode.Unseen::new);
      parser
          .parse(type, code::accesses, mistakes)
          .ifPresent(parsed -> verifyAndWrite(parsed, code, type, mistakes));
    }
  }

  private ModuleCode code(ResourceName name, TypeElement type, Culprit place, Mistakes mistakes) {
    if (!name.isSource() || !type.getKind().isInterface()) {
      return resources().code(name);
    }
    if (compiled == null) {
      compiled =
          new CompiledModules(
              processingEnv.getFiler(), CompilerOptions.of(processingEnv.getOptions()));
    }
    return compiled.code(name, type, place, resources(), mistakes);
  }

  private void verifyAndWrite(
      ParsedInterface parsed, ModuleCode code, TypeElement type, Mistakes mistakes) {
    Optional<String> wrongFolder = resources().wrongFolder();
    if (wrongFolder.isEmpty() || !(code instanceof ModuleCode.Unseen)) {
      verify(parsed, code, type, mistakes);
    }
    if (wrongFolder.isPresent() && !isWrongFolderTold) {
      isWrongFolderTold = true;
      mistakes.report(Problem.RESOURCE_FOLDER, Culprit.of(type), wrongFolder.get());
    }
    if (!mistakes.hasErrors()) {
      parsed.source().ifPresent(source -> write(parsed, source, code, type, mistakes));
    }
  }

  /** Lists what the code shows of the elements that a kernel touches, and of its threads. */
  private void list(ParsedKernel kernel, ModuleCode code) {
    List<String> known = new ArrayList<>(code.bounds(kernel.kernel().signature()));
    code.races(kernel.kernel().signature())
        .ifPresent(races -> known.add("races: " + races.inWords()));
    if (!known.isEmpty()) {
      processingEnv
          .getMessager()
          .printMessage(
              Diagnostic.Kind.NOTE,
              "bounds of " + kernel.kernel().signature().entry() + ": " + String.join("; ", known),
              kernel.places().method());
    }
  }

  private void verify(
      ParsedInterface parsed, ModuleCode code, TypeElement type, Mistakes mistakes) {
    String name = parsed.resource().value();
    Culprit culprit = parsed.place();
    if (code.hasShortAddresses()) {
      mistakes.report(Problem.ADDRESS_SIZE, culprit, name);
      return;
    }
    CodeVerifier verifier = new CodeVerifier(code, parsed.resource(), mistakes);
    parsed.kernels().forEach(kernel -> verifier.verify(kernel.kernel(), kernel.places()));
    parsed
        .symbols()
        .forEach(symbol -> verifier.verify(symbol.symbol(), symbol.method(), symbol.name()));
    if (processingEnv.getOptions().containsKey(BOUNDS_OPTION)) {
      parsed.kernels().forEach(kernel -> list(kernel, code));
    }
    code.staleness(parsed.entries())
        .ifPresent(reason -> mistakes.report(Problem.STALE_PTX, culprit, name, reason));
    if (code instanceof ModuleCode.Unreadable unreadable) {
      mistakes.report(Problem.UNREADABLE_MODULE, culprit, name, unreadable.reason());
    } else if (code instanceof ModuleCode.Ptx
        || code instanceof ModuleCode.Uncompiled
        || parsed.source().isEmpty()) {
      // Everything is compared, or nothing is generated: there is nothing to warn about.
      return;
    } else if (code instanceof ModuleCode.Opaque opaque) {
      mistakes.report(
          Problem.UNCHECKED_MODULE,
          culprit,
          name,
          opaque.kind(),
          type.getSimpleName(),
          opaque.remedy());
    } else {
      mistakes.report(Problem.UNSEEN_MODULE, culprit, name, type.getSimpleName());
    }
  }

  private void write(
      ParsedInterface parsed,
      KernelInterface source,
      ModuleCode code,
      TypeElement type,
      Mistakes mistakes) {
    QualifiedName launcher = source.name().launcher();
    for (ParsedKernel kernel : parsed.kernels()) {
      if (!LauncherSize.fits(kernel.kernel())) {
        mistakes.report(
            Problem.KERNEL_TOO_LARGE, Culprit.of(kernel.places().method()), kernel.kernel().name());
      }
    }
    if (mistakes.hasErrors()) {
      return;
    }
    if (!LauncherSize.fits(source)) {
      mistakes.report(
          Problem.TOO_LARGE, Culprit.of(type), type.getSimpleName(), LauncherSize.inWords(source));
      return;
    }
    Optional<String> holder =
        source.takenNames().contains(launcher.nameInPackage())
            ? Optional.of("a member of " + source.name().nameInPackage())
            : names.claim(moduleOf(type), launcher, source.name());
    if (holder.isPresent()) {
      mistakes.report(
          Problem.LAUNCHER_NAME_CLASH,
          Culprit.of(type),
          launcher.nameInPackage(),
          source.name().nameInPackage(),
          holder.get());
      return;
    }
    LauncherGenerator generator = new LauncherGenerator(KernelProcessor.class.getName());
    Map<KernelMethod, KernelCode> shown = new HashMap<>();
    for (KernelMethod kernel : source.kernels()) {
      shown.put(kernel, code.code(kernel.signature(), source.declaredSymbols()));
    }
    try {
      new LauncherWriter(processingEnv.getFiler())
          .write(
              names.ofFile(moduleOf(type), launcher),
              generator.generate(source, code.comparedHash(), shown),
              type);
    } catch (IOException e) {
      mistakes.report(Problem.WRITE_FAILED, Culprit.of(type), launcher.canonical(), e);
    }
  }

  private List<TypeElement> takeDeferred() {
    List<TypeElement> types = new ArrayList<>();
    for (Waiting waiting : deferred) {
      ModuleElement module = elements().getModuleElement(waiting.module());
      TypeElement type =
          module == null
              ? elements().getTypeElement(waiting.name())
              : elements().getTypeElement(module, waiting.name());
      // Eclipse's compiler loses a generated file if a later round generates a type that it names.
      if (type != null) {
        types.add(type);
      }
    }
    deferred.clear();
    return types;
  }

  /** The module's name; empty for the unnamed module, and before Java 9. */
  private String moduleOf(Element element) {
    ModuleElement module = elements().getModuleOf(element);
    return module == null ? "" : module.getQualifiedName().toString();
  }

  private VisibleResources resources() {
    if (resources == null) {
      // An option without a value is present, with the value null.
      String folders = processingEnv.getOptions().get(VisibleResources.OPTION);
      resources =
          new VisibleResources(processingEnv.getFiler(), Objects.requireNonNullElse(folders, ""));
    }
    return resources;
  }

  private Elements elements() {
    return processingEnv.getElementUtils();
  }
}
