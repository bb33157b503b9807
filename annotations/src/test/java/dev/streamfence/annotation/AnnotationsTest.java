package dev.streamfence.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.module.ModuleDescriptor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What builds and the processor rely on in the annotations. */
class AnnotationsTest {
  static List<Class<? extends Annotation>> all() {
    return List.of(
        KernelModule.class,
        Kernel.class,
        Reads.class,
        Writes.class,
        ReadWrites.class,
        ThreadCount.class,
        DynamicSharedBytes.class);
  }

  /** In class files for incremental builds, but not at run time, where nobody reads them. */
  @ParameterizedTest
  @MethodSource("all")
  void annotationIsKeptInClassFiles(Class<? extends Annotation> annotation) {
    assertThat(annotation.getAnnotation(Retention.class).value()).isEqualTo(RetentionPolicy.CLASS);
    assertThat(annotation).hasAnnotation(Documented.class);
  }

  /** Never {@code TYPE_USE}, which the compiler does not look up processors for. */
  @Test
  void eachAnnotationHasOnePlace() {
    Map<String, List<ElementType>> targets =
        all().stream()
            .collect(
                Collectors.toMap(
                    Class::getSimpleName,
                    type -> Arrays.asList(type.getAnnotation(Target.class).value())));

    assertThat(targets)
        .containsOnly(
            Map.entry("KernelModule", List.of(ElementType.TYPE)),
            Map.entry("Kernel", List.of(ElementType.METHOD)),
            Map.entry("Reads", List.of(ElementType.PARAMETER)),
            Map.entry("Writes", List.of(ElementType.PARAMETER)),
            Map.entry("ReadWrites", List.of(ElementType.PARAMETER)),
            Map.entry("ThreadCount", List.of(ElementType.PARAMETER)),
            Map.entry("DynamicSharedBytes", List.of(ElementType.PARAMETER)));
  }

  @Test
  void kernelHasDefaults() throws NoSuchMethodException {
    assertThat(Kernel.class.getMethod("value").getDefaultValue()).isEqualTo("");
    assertThat(Kernel.class.getMethod("blockSize").getDefaultValue()).isEqualTo(256);
    assertThat(Kernel.class.getMethod("dynamicSharedBytes").getDefaultValue()).isEqualTo(0);
    assertThat(KernelModule.class.getMethod("value").getDefaultValue()).isNull();
  }

  @Test
  void moduleExportsThemAndNeedsNothing() throws IOException {
    try (InputStream file = Kernel.class.getResourceAsStream("/module-info.class")) {
      ModuleDescriptor module = ModuleDescriptor.read(file);

      assertThat(module.name()).isEqualTo("dev.streamfence.annotations");
      assertThat(module.requires())
          .extracting(ModuleDescriptor.Requires::name)
          .containsExactly("java.base");
      assertThat(module.exports())
          .extracting(ModuleDescriptor.Exports::source)
          .containsExactly("dev.streamfence.annotation");
    }
  }
}
