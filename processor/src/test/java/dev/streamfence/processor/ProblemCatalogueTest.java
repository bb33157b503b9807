package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.streamfence.processor.diagnostic.Problem;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** The tests cover every complaint of the catalogue. */
class ProblemCatalogueTest {
  @Test
  void everyProblemIsProducedByATest() {
    JavaClasses classes = new ClassFileImporter().importPackages("dev.streamfence.processor");
    Set<String> asserted =
        classes.stream()
            .flatMap(type -> type.getFieldAccessesFromSelf().stream())
            .filter(access -> access.getTargetOwner().isEquivalentTo(Problem.class))
            .filter(access -> isTest(access.getOrigin()))
            .filter(access -> assertsAComplaint(access.getOrigin()))
            .map(JavaAccess::getName)
            .collect(Collectors.toSet());

    assertThat(asserted)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Problem.values()).map(Problem::name).toList());
  }

  @Test
  void idsAreUniqueAndReadLikeNames() {
    assertThat(Arrays.stream(Problem.values()).map(Problem::id))
        .doesNotHaveDuplicates()
        .allMatch(id -> id.matches("([A-Z][a-z]+)+"));
  }

  private static boolean isTest(JavaCodeUnit unit) {
    return unit.isAnnotatedWith(Test.class) || unit.isAnnotatedWith(ParameterizedTest.class);
  }

  /** Whether it compiles a source and checks the processor's messages. */
  private static boolean assertsAComplaint(JavaCodeUnit test) {
    return test.getMethodCallsFromSelf().stream()
        .anyMatch(
            call ->
                call.getTargetOwner().isEquivalentTo(Mistakes.class)
                    || (call.getTargetOwner().isEquivalentTo(KernelProcessorTest.class)
                        && call.getName().equals("complaint")));
  }
}
