package dev.streamfence;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The arrows between the rooms. The root package has two: the vocabulary (access, element types,
 * shapes, errors), which everybody may use and which uses nobody, and the handles that a user
 * holds, which use what is below them.
 */
final class ArchitectureTest {
  private static final JavaClasses RUNTIME =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.streamfence");

  private static final Set<String> VOCABULARY =
      Set.of(
          "Access",
          "AllocationLog",
          "AllocationRecord",
          "ElementType",
          "LaunchShape",
          "MemoryStatistics",
          "RuntimeOptions",
          "RuntimeStatistics");

  private static final DescribedPredicate<JavaClass> HANDLES =
      new DescribedPredicate<>("handles of the root package") {
        @Override
        public boolean test(JavaClass type) {
          JavaClass outermost = type;
          while (outermost.getEnclosingClass().isPresent()) {
            outermost = outermost.getEnclosingClass().get();
          }
          return outermost.getPackageName().equals("dev.streamfence")
              && !VOCABULARY.contains(outermost.getSimpleName())
              && !outermost.getSimpleName().endsWith("Exception");
        }
      };

  @Test
  void ptxDependsOnTheJdkAlone() {
    check(
        noClasses()
            .that()
            .resideInAPackage("..ptx..")
            .should()
            .dependOnClassesThat()
            .resideOutsideOfPackages("dev.streamfence.ptx..", "java..", "org.jspecify..", ""));
  }

  @Test
  void onlyTheJCudaBindingKnowsJCuda() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("dev.streamfence.driver.jcuda..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("jcuda.."));
  }

  @Test
  void driverHoldsNoPolicy() {
    check(noneOf("dev.streamfence.driver..", "stream", "memory", "launch", "simulation", "ptx"));
  }

  @Test
  void streamKnowsNeitherBytesNorLaunches() {
    check(
        noneOf(
            "dev.streamfence.stream..", "memory", "launch", "simulation", "ptx", "driver.jcuda"));
  }

  @Test
  void memoryKnowsNoLaunches() {
    check(noneOf("dev.streamfence.memory..", "launch", "simulation", "ptx", "driver.jcuda"));
  }

  @Test
  void simulationIsADriverAndNothingElse() {
    check(noneOf("dev.streamfence.simulation..", "stream", "memory", "launch", "driver.jcuda"));
  }

  @Test
  void launchUsesNoDriverDirectly() {
    check(noneOf("dev.streamfence.launch..", "simulation", "driver.jcuda"));
  }

  @Test
  void handlesAreUsedByLaunchAlone() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(
                "dev.streamfence.driver..",
                "dev.streamfence.stream..",
                "dev.streamfence.memory..",
                "dev.streamfence.simulation..",
                "dev.streamfence.ptx..")
            .should()
            .dependOnClassesThat(HANDLES));
  }

  @Test
  void handlesDoNotKnowLaunches() {
    check(noneOf("dev.streamfence", "launch", "ptx"));
  }

  @Test
  void everyPackageSaysWhatItIs() {
    check(
        classes()
            .that()
            .haveSimpleName("package-info")
            .should()
            .beAnnotatedWith("org.jspecify.annotations.NullMarked"));
  }

  private static ArchRule noneOf(String from, String... rooms) {
    String[] packages = new String[rooms.length];
    for (int i = 0; i < rooms.length; i++) {
      packages[i] = "dev.streamfence." + rooms[i] + "..";
    }
    return noClasses()
        .that()
        .resideInAPackage(from)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(packages);
  }

  private static void check(ArchRule rule) {
    rule.check(RUNTIME);
  }
}
