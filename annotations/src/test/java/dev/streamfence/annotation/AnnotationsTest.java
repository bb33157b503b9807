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
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The properties of the annotations that builds and the processor rely on. */
class AnnotationsTest {
  /** Every annotation of which the package has a class file. */
  static List<Class<? extends Annotation>> all() throws IOException, URISyntaxException {
    Path classes =
        Path.of(Kernel.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .resolve("dev/streamfence/annotation");
    List<Class<? extends Annotation>> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(classes, "*.class")) {
      for (Path file : files) {
        String name = file.getFileName().toString().replace(".class", "");
        Class<?> type = classNamed(Kernel.class.getPackageName() + "." + name);
        if (type.isAnnotation()) {
          found.add(type.asSubclass(Annotation.class));
        }
      }
    }
    return found;
  }

  private static Class<?> classNamed(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new AssertionError("a class file without a class", e);
    }
  }

  /** Incremental builds read the annotations in class files; nothing reads them at run time. */
  @ParameterizedTest
  @MethodSource("all")
  void annotationIsKeptInClassFiles(Class<? extends Annotation> annotation) {
    assertThat(annotation.getAnnotation(Retention.class).value()).isEqualTo(RetentionPolicy.CLASS);
    assertThat(annotation).hasAnnotation(Documented.class);
  }

  /** Never {@code TYPE_USE}: the compiler does not look up processors for it. */
  @Test
  void eachAnnotationHasItsPlaces() throws IOException, URISyntaxException {
    Map<String, List<ElementType>> targets =
        all().stream()
            .collect(
                Collectors.toMap(
                    Class::getSimpleName,
                    type -> Arrays.asList(type.getAnnotation(Target.class).value())));

    List<ElementType> tracked = List.of(ElementType.PARAMETER, ElementType.RECORD_COMPONENT);
    assertThat(targets)
        .containsOnly(
            Map.entry("KernelModule", List.of(ElementType.TYPE)),
            Map.entry("Kernel", List.of(ElementType.METHOD)),
            Map.entry("Symbol", List.of(ElementType.METHOD)),
            Map.entry("Reads", tracked),
            Map.entry("Writes", tracked),
            Map.entry("ReadWrites", tracked),
            Map.entry("ThreadCount", List.of(ElementType.PARAMETER)),
            Map.entry("Trusted", tracked),
            Map.entry("Optional", tracked),
            Map.entry("DynamicSharedBytes", List.of(ElementType.PARAMETER)));
  }

  @Test
  void kernelHasDefaults() {
    assertThat(defaultsOf(Kernel.class))
        .containsExactlyInAnyOrder(
            "value=",
            "blockSize=256",
            "requiredBlock=[]",
            "dynamicSharedBytes=0",
            "bounds=CHECKED",
            "races=REPORTED",
            "mayAlias=false",
            "cooperative=false");
    assertThat(defaultsOf(KernelModule.class)).containsExactly("value=null");
  }

  private static Stream<String> defaultsOf(Class<? extends Annotation> annotation) {
    return Arrays.stream(annotation.getDeclaredMethods())
        .map(attribute -> attribute.getName() + "=" + text(attribute.getDefaultValue()));
  }

  private static String text(Object value) {
    return value instanceof int[] numbers ? Arrays.toString(numbers) : String.valueOf(value);
  }

  @Test
  void moduleExportsThemAndNeedsNothing() throws Exception {
    Path classes =
        Path.of(Kernel.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (InputStream file = Files.newInputStream(classes.resolve("module-info.class"))) {
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
