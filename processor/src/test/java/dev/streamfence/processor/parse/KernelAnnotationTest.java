package dev.streamfence.processor.parse;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.streamfence.annotation.KernelModule;
import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The names that stand for classes, against the classes. */
final class KernelAnnotationTest {
  @Test
  void everyAnnotationOfThePackageIsThereByItsName() {
    Set<String> annotations =
        new ClassFileImporter()
            .importPackagesOf(KernelModule.class).stream()
                .filter(type -> type.isAssignableTo(Annotation.class))
                .map(JavaClass::getName)
                .collect(Collectors.toSet());
    assertThat(Arrays.stream(KernelAnnotation.values()).map(KernelAnnotation::qualifiedName))
        .containsExactlyInAnyOrderElementsOf(annotations);
  }
}
