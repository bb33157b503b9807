package dev.streamfence;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.simulator.SimulationSettings;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The packages that each package may use, without exceptions, and the API that users see.
 *
 * <p>The exported packages declare what {@code dev.streamfence.internal} implements. Their static
 * methods call a few classes there, {@link #ENTRANCES}, and use nothing else of it; a {@code
 * permits} clause names a type but uses nothing of it. The root package, {@code foreign}, {@code
 * launch} and {@code memory} are one layer and name each other's types.
 */
final class ArchitectureTest {
  private static final String ROOT = "dev.streamfence";
  private static final String INTERNAL = ROOT + ".internal";

  /** What exported types call in their static methods and in {@code close()}. */
  private static final Set<String> ENTRANCES =
      Set.of(
          INTERNAL + ".Suppressed",
          INTERNAL + ".device.RuntimeOpener",
          INTERNAL + ".graph.GraphRecorder",
          INTERNAL + ".launch.TrackedModuleLoader",
          INTERNAL + ".order.Teardown",
          INTERNAL + ".pressure.PressureTask",
          INTERNAL + ".trace.RecordedTrace",
          INTERNAL + ".column.TrackedColumns",
          INTERNAL + ".column.foreign.ArrowAdoption",
          INTERNAL + ".column.foreign.TableExport",
          INTERNAL + ".exchange.ArrowImport",
          INTERNAL + ".column.foreign.TensorColumns",
          INTERNAL + ".column.foreign.TensorHandle",
          INTERNAL + ".column.foreign.TensorLoan");

  /** The steps of {@link Submission#carryOut}. */
  private static final Set<String> STEPS =
      Set.of(
          "preflight",
          "queuing",
          "queued",
          "commit",
          "commitWithoutEvent",
          "coverByEvent",
          "coverIfPossible");

  private static final JavaClasses RUNTIME =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("-tests.jar"))
          .withImportOption(location -> !location.contains("module-info"))
          .importPackages(ROOT);

  /**
   * The packages that each package may use besides its own; a package not listed here fails. Only
   * the binding of JCuda uses JCuda, and only it and the exchange with other libraries use JNA.
   */
  private static final Map<String, Set<String>> MAY_USE =
      Map.ofEntries(
          Map.entry(
              "dev.streamfence",
              Set.of("internal", "foreign", "graph", "launch", "memory", "trace")),
          Map.entry("graph", Set.of("root", "trace")),
          Map.entry("foreign", Set.of("root", "internal")),
          Map.entry("simulation", Set.of("root", "internal")),
          Map.entry("memory", Set.of("root", "csv")),
          Map.entry("contract", Set.of("root", "memory", "simulation")),
          Map.entry("column", Set.of("root", "internal", "launch", "memory")),
          Map.entry("column.arrow", Set.of("root", "internal", "column")),
          Map.entry("column.dlpack", Set.of("root", "foreign", "internal", "column", "launch")),
          Map.entry("launch", Set.of("root", "internal", "internal.ptx.syntax")),
          Map.entry("trace", Set.of("internal", "graph", "launch")),
          Map.entry("internal.jfr", Set.of("root", "graph", "launch", "memory", "trace", "jfr")),
          Map.entry(
              "internal.trace",
              Set.of(
                  "root",
                  "graph",
                  "launch",
                  "memory",
                  "trace",
                  "internal.driver",
                  "internal.jfr",
                  "internal.memory",
                  "internal.order",
                  "internal.pressure")),
          Map.entry(
              "internal.launch",
              Set.of(
                  "root",
                  "launch",
                  "trace",
                  "internal.jfr",
                  "internal.completion",
                  "internal.device",
                  "internal.order",
                  "internal.memory",
                  "internal.driver",
                  "internal.recording",
                  "internal.ptx.syntax",
                  "internal.ptx.binary",
                  "internal.ptx.analysis",
                  "internal.ptx.bounds",
                  "internal.ptx.symbolic",
                  "internal.ptx.check")),
          Map.entry(
              "internal.recording",
              Set.of("root", "graph", "trace", "internal.driver", "internal.order")),
          Map.entry(
              "internal.graph",
              Set.of(
                  "root",
                  "graph",
                  "launch",
                  "trace",
                  "internal",
                  "internal.device",
                  "internal.driver",
                  "internal.jfr",
                  "internal.memory",
                  "internal.order",
                  "internal.recording",
                  "internal.trace")),
          Map.entry("internal", Set.of()),
          Map.entry("internal.driver", Set.of("root", "simulation", "internal.jfr")),
          Map.entry(
              "internal.driver.jcuda",
              Set.of(
                  "root",
                  "simulation",
                  "internal",
                  "internal.driver",
                  "internal.ptx.binary",
                  "jcuda",
                  "jna")),
          Map.entry("internal.exchange", Set.of("root", "foreign", "internal", "launch", "jna")),
          Map.entry(
              "internal.order",
              Set.of("root", "graph", "trace", "internal.driver", "internal.jfr")),
          Map.entry(
              "internal.memory",
              Set.of(
                  "root",
                  "foreign",
                  "launch",
                  "memory",
                  "trace",
                  "internal",
                  "internal.driver",
                  "internal.jfr",
                  "internal.order")),
          Map.entry(
              "internal.transfer",
              Set.of(
                  "root",
                  "launch",
                  "trace",
                  "internal",
                  "internal.driver",
                  "internal.jfr",
                  "internal.memory",
                  "internal.order")),
          Map.entry(
              "internal.device",
              Set.of(
                  "root",
                  "foreign",
                  "launch",
                  "memory",
                  "simulation",
                  "trace",
                  "internal.driver",
                  "internal.jfr",
                  "internal.driver.jcuda",
                  "internal.completion",
                  "internal.host",
                  "internal.memory",
                  "internal.order",
                  "internal.pressure",
                  "internal.trace",
                  "internal.transfer")),
          Map.entry(
              "internal.completion",
              Set.of(
                  "root",
                  "internal.driver",
                  "internal.memory",
                  "internal.order",
                  "internal.transfer")),
          Map.entry("internal.host", Set.of("root", "launch", "internal.transfer")),
          Map.entry(
              "internal.pressure",
              Set.of("root", "memory", "trace", "internal.memory", "internal.order")),
          Map.entry("internal.simulator.bytes", Set.of()),
          Map.entry("internal.simulator.schedule", Set.of("simulation", "internal.driver")),
          Map.entry(
              "internal.column",
              Set.of(
                  "root",
                  "column",
                  "launch",
                  "memory",
                  "internal.device",
                  "internal.memory",
                  "internal.order")),
          Map.entry(
              "internal.column.foreign",
              Set.of(
                  "root",
                  "foreign",
                  "launch",
                  "memory",
                  "column",
                  "column.arrow",
                  "column.dlpack",
                  "internal.column",
                  "internal.exchange",
                  "internal.device",
                  "internal.memory",
                  "internal.order",
                  "internal.driver")),
          Map.entry(
              "internal.simulator",
              Set.of(
                  "root",
                  "simulation",
                  "internal.simulator.bytes",
                  "internal.simulator.schedule",
                  "internal.driver",
                  "internal.ptx.syntax",
                  "internal.ptx.run",
                  "internal.ptx.run.machine",
                  "internal.ptx.run.order")),
          Map.entry("internal.ptx", Set.of()),
          Map.entry("internal.ptx.syntax", Set.of()),
          Map.entry("internal.ptx.binary", Set.of()),
          Map.entry("internal.ptx.analysis.lattice", Set.of("internal.ptx.syntax")),
          Map.entry("internal.ptx.ir", Set.of("internal.ptx.syntax")),
          Map.entry(
              "internal.ptx.analysis",
              Set.of("internal.ptx.syntax", "internal.ptx.analysis.lattice", "internal.ptx.ir")),
          Map.entry("internal.ptx.symbolic", Set.of("internal.ptx.syntax", "internal.ptx.ir")),
          Map.entry(
              "internal.ptx.bounds",
              Set.of("internal.ptx.syntax", "internal.ptx.ir", "internal.ptx.symbolic")),
          Map.entry(
              "internal.ptx.races",
              Set.of("internal.ptx.syntax", "internal.ptx.ir", "internal.ptx.symbolic")),
          Map.entry(
              "internal.ptx.check",
              Set.of(
                  "root",
                  "launch",
                  "internal.ptx.ir",
                  "internal.ptx.bounds",
                  "internal.ptx.races",
                  "internal.ptx.symbolic",
                  "internal.ptx.syntax",
                  "internal.ptx.binary",
                  "internal.ptx.analysis",
                  "internal.ptx.analysis.lattice")),
          Map.entry(
              "internal.ptx.run.arithmetic", Set.of("internal.ptx.syntax", "internal.ptx.ir")),
          Map.entry("internal.ptx.run.order", Set.of("internal.ptx.syntax")),
          Map.entry(
              "internal.ptx.run.machine", Set.of("internal.ptx.syntax", "internal.ptx.run.order")),
          Map.entry(
              "internal.ptx.run.instruction",
              Set.of(
                  "internal.ptx.syntax",
                  "internal.ptx.ir",
                  "internal.ptx.run.arithmetic",
                  "internal.ptx.run.machine",
                  "internal.ptx.run.order")),
          Map.entry(
              "internal.ptx.run",
              Set.of(
                  "internal.ptx.syntax",
                  "internal.ptx.run.instruction",
                  "internal.ptx.run.machine")));

  static Stream<String> packages() {
    return RUNTIME.stream().map(JavaClass::getPackageName).distinct().sorted();
  }

  @ParameterizedTest
  @MethodSource("packages")
  void aPackageUsesOnlyThoseBelowIt(String name) {
    String key = name.equals(ROOT) ? name : name.substring(ROOT.length() + 1);
    assertThat(MAY_USE).containsKey(key);
    List<String> allowed = new ArrayList<>(List.of(name, "java..", "org.jspecify..", ""));
    for (String used : MAY_USE.get(key)) {
      allowed.addAll(
          switch (used) {
            case "root" -> List.of(ROOT);
            case "csv" -> List.of("de.siegmar.fastcsv..");
            case "jcuda" -> List.of("jcuda..");
            case "jfr" -> List.of("jdk.jfr..");
            case "jna" -> List.of("com.sun.jna..");
            default -> List.of(ROOT + "." + used);
          });
    }
    boolean isExported = !name.startsWith(INTERNAL);
    if (!isExported) {
      // What any room may log.
      allowed.add(INTERNAL);
    }
    check(
        classes()
            .that()
            .resideInAPackage(name)
            .should()
            .onlyDependOnClassesThat(
                resideInAPackage(name)
                    .or(describe("entrance", type -> isExported && isEntrance(type)))
                    .or(JavaClass.Predicates.resideInAnyPackage(allowed.toArray(new String[0])))));
  }

  private static boolean isEntrance(JavaClass type) {
    return ENTRANCES.contains(type.getName());
  }

  @Test
  void packagesAreInNoCycle() {
    check(slices().matching("dev.streamfence.internal.(**)").should().beFreeOfCycles());
    check(slices().matching("dev.streamfence.internal.ptx.(*)..").should().beFreeOfCycles());
  }

  /** All other work is a {@code Work}, which one place carries out. */
  @Test
  void onlyLaunchesRunTheStepsOfASubmissionThemselves() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(INTERNAL + ".order")
            .and()
            .doNotHaveSimpleName("TrackedRecorder")
            .should()
            .callMethodWhere(
                describe(
                    "preflight, commit or cover of a submission",
                    call ->
                        call.getTargetOwner().isEquivalentTo(Submission.class)
                            && STEPS.contains(call.getName()))));
  }

  /** In the sources: what the compiler makes of a {@code try} with resources calls it too. */
  @Test
  void onlyOneClassAddsSuppressedFailures() throws Exception {
    List<String> adding = new ArrayList<>();
    for (String module : List.of("arrow", "assertj", "core", "exchange", "ptx", "simulator")) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          if (Files.readString(file).contains("addSuppressed")) {
            adding.add(file.getFileName().toString());
          }
        }
      }
    }
    assertThat(adding).containsExactly("Suppressed.java");
  }

  @Test
  void noPackageHasMoreThanAboutFortyFiles() {
    Map<String, Long> files =
        RUNTIME.stream()
            .filter(type -> type.getEnclosingClass().isEmpty())
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
    assertThat(files).allSatisfy((name, count) -> assertThat(count).as(name).isLessThan(50));
  }

  @Test
  void onlyTenPackagesAreExportedToUsers() throws Exception {
    assertThat(exported(DeviceRuntime.class))
        .containsExactlyInAnyOrder(
            ROOT,
            ROOT + ".foreign",
            ROOT + ".graph",
            ROOT + ".launch",
            ROOT + ".memory",
            ROOT + ".simulation",
            ROOT + ".trace");
    assertThat(exported(DeviceTable.class))
        .containsExactlyInAnyOrder(
            ROOT + ".column", ROOT + ".column.arrow", ROOT + ".column.dlpack");
  }

  @Test
  void ptxExportsNothingToUsersAndTheSimulatorItsContracts() throws Exception {
    assertThat(exported(PtxModule.class)).isEmpty();
    assertThat(exported(SimulationSettings.class)).containsExactly(ROOT + ".contract");
  }

  @Test
  void noExportedSignatureNamesAnInternalType() throws Exception {
    Set<String> exported = new HashSet<>(exported(DeviceRuntime.class));
    exported.addAll(exported(DeviceTable.class));
    List<String> leaks = new ArrayList<>();
    for (JavaClass type : RUNTIME) {
      if (exported.contains(type.getPackageName()) && isVisible(type)) {
        signatures(type.reflect())
            .forEach(
                (member, named) ->
                    named.stream()
                        .filter(name -> name.startsWith(INTERNAL))
                        .forEach(name -> leaks.add(member + " names " + name)));
      }
    }
    assertThat(leaks).isEmpty();
  }

  @Test
  void everyPackageHasADescription() {
    Set<String> packages = packages().collect(Collectors.toSet());
    assertThat(RUNTIME.stream().filter(type -> type.getSimpleName().equals("package-info")))
        .extracting(JavaClass::getPackageName)
        .containsExactlyInAnyOrderElementsOf(packages);
    check(
        classes()
            .that()
            .haveSimpleName("package-info")
            .should()
            .beAnnotatedWith("org.jspecify.annotations.NullMarked"));
  }

  /** The packages that the module of a type exports to every other module. */
  private static Set<String> exported(Class<?> type) throws Exception {
    Path classes = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (InputStream descriptor = Files.newInputStream(classes.resolve("module-info.class"))) {
      return ModuleDescriptor.read(descriptor).exports().stream()
          .filter(export -> !export.isQualified())
          .map(ModuleDescriptor.Exports::source)
          .collect(Collectors.toSet());
    }
  }

  private static boolean isVisible(JavaClass type) {
    for (Class<?> next = type.reflect(); next != null; next = next.getEnclosingClass()) {
      if (!isVisible(next.getModifiers())) {
        return false;
      }
    }
    return true;
  }

  private static boolean isVisible(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  /** The names of all types in the signature of each public or protected member. */
  private static Map<String, Set<String>> signatures(Class<?> type) {
    Map<String, Set<String>> found = new TreeMap<>();
    found.put(
        type.getName(),
        names(
            Stream.concat(
                Stream.of(type.getGenericInterfaces()),
                Stream.ofNullable(type.getGenericSuperclass()))));
    Stream.of(type.getDeclaredMethods(), type.getDeclaredConstructors(), type.getDeclaredFields())
        .flatMap(Arrays::<Member>stream)
        .filter(member -> isVisible(member.getModifiers()) && !member.isSynthetic())
        .forEach(member -> found.put(member.toString(), names(typesOf(member))));
    return found;
  }

  private static Stream<Type> typesOf(Member member) {
    if (member instanceof Field field) {
      return Stream.of(field.getGenericType());
    }
    Executable executable = (Executable) member;
    Stream<Type> result =
        executable instanceof Method method
            ? Stream.of(method.getGenericReturnType())
            : Stream.of(((Constructor<?>) executable).getDeclaringClass());
    return Stream.of(
            result,
            Stream.of(executable.getGenericParameterTypes()),
            Stream.of(executable.getGenericExceptionTypes()),
            Stream.of(executable.getTypeParameters()).map(Type.class::cast))
        .flatMap(types -> types);
  }

  private static Set<String> names(Stream<? extends Type> types) {
    return types.flatMap(ArchitectureTest::names).collect(Collectors.toSet());
  }

  private static Stream<String> names(Type type) {
    if (type instanceof Class<?> raw) {
      return raw.isArray() ? names(raw.getComponentType()) : Stream.of(raw.getName());
    }
    if (type instanceof GenericArrayType array) {
      return names(array.getGenericComponentType());
    }
    if (type instanceof ParameterizedType parameterized) {
      return Stream.concat(
          names(parameterized.getRawType()),
          Stream.of(parameterized.getActualTypeArguments()).flatMap(ArchitectureTest::names));
    }
    if (type instanceof WildcardType wildcard) {
      return Stream.of(wildcard.getUpperBounds(), wildcard.getLowerBounds())
          .flatMap(Stream::of)
          .flatMap(ArchitectureTest::names);
    }
    return Stream.of(((TypeVariable<?>) type).getBounds())
        .filter(bound -> bound instanceof Class<?>)
        .flatMap(ArchitectureTest::names);
  }

  private static void check(ArchRule rule) {
    rule.check(RUNTIME);
  }
}
