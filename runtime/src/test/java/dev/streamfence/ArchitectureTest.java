package dev.streamfence;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.streamfence.launch.LaunchRecorder;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
            .resideOutsideOfPackages(
                "dev.streamfence.internal.ptx..", "java..", "org.jspecify..", ""));
  }

  @Test
  void onlyTheJCudaBindingKnowsJCuda() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("dev.streamfence.internal.driver.jcuda..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("jcuda..", "com.sun.jna.."));
  }

  @Test
  void driverHoldsNoPolicy() {
    check(
        noneOf(
            "dev.streamfence.internal.driver..",
            "stream",
            "memory",
            "launch",
            "simulation",
            "ptx"));
  }

  @Test
  void streamKnowsNeitherBytesNorLaunches() {
    check(
        noneOf(
            "dev.streamfence.internal.order..",
            "memory",
            "launch",
            "simulation",
            "ptx",
            "driver.jcuda"));
  }

  @Test
  void memoryKnowsNoLaunches() {
    check(
        noneOf("dev.streamfence.internal.memory..", "launch", "simulation", "ptx", "driver.jcuda"));
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
                "dev.streamfence.internal.driver..",
                "dev.streamfence.internal.order..",
                "dev.streamfence.internal.memory..",
                "dev.streamfence.simulation..",
                "dev.streamfence.internal.ptx..")
            .should()
            .dependOnClassesThat(HANDLES));
  }

  @Test
  void handlesDoNotKnowLaunches() {
    check(noneOf("dev.streamfence", "launch", "ptx"));
  }

  @Test
  void usersReachNoDriverNoStreamAndNoAddressThroughAHandle() {
    check(
        methods()
            .that()
            .areDeclaredInClassesThat(HANDLES.and(not(type(RuntimeInternals.class))))
            .and()
            .areDeclaredInClassesThat()
            .arePublic()
            .and(areNotInternal())
            .should(notMention("driver", "stream", "memory", "launch")));
  }

  private static DescribedPredicate<JavaMethod> areNotInternal() {
    return new DescribedPredicate<>("can be called by a user") {
      @Override
      public boolean test(JavaMethod method) {
        return method.getModifiers().contains(JavaModifier.PUBLIC)
            || method.getModifiers().contains(JavaModifier.PROTECTED);
      }
    };
  }

  private static ArchCondition<JavaMethod> notMention(String... rooms) {
    Set<String> packages =
        Arrays.stream(rooms).map("dev.streamfence."::concat).collect(Collectors.toSet());
    return new ArchCondition<>("not mention " + packages) {
      @Override
      public void check(JavaMethod method, ConditionEvents events) {
        Stream.concat(Stream.of(method.getRawReturnType()), method.getRawParameterTypes().stream())
            .filter(mentioned -> packages.stream().anyMatch(mentioned.getPackageName()::startsWith))
            .forEach(
                mentioned ->
                    events.add(
                        SimpleConditionEvent.violated(
                            method, method.getFullName() + " mentions " + mentioned.getName())));
      }
    };
  }

  @Test
  void onlyTheLaunchRoomGetsTheInternals() {
    assertThatThrownBy(() -> RuntimeInternals.of(MethodHandles.lookup()))
        .isInstanceOf(IllegalCallerException.class)
        .hasMessageContaining("ArchitectureTest");
    assertThatThrownBy(() -> RuntimeInternals.of(MethodHandles.lookup().in(LaunchRecorder.class)))
        .isInstanceOf(IllegalCallerException.class);
  }

  @Test
  void everyPackageSaysWhatItIs() {
    Set<String> packages =
        RUNTIME.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
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
