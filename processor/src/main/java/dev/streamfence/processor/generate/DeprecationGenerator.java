package dev.streamfence.processor.generate;

import com.palantir.javapoet.AnnotationSpec;
import dev.streamfence.processor.model.Deprecation;
import dev.streamfence.processor.model.KernelInterface;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Generates what a launcher says of deprecated things, its own and those that it uses. Stateless.
 */
final class DeprecationGenerator {
  private DeprecationGenerator() {}

  /** The annotation that passes a deprecation on to who calls the launcher. */
  static Optional<AnnotationSpec> mark(Deprecation deprecation) {
    AnnotationSpec.Builder mark = AnnotationSpec.builder(Deprecated.class);
    return switch (deprecation) {
      case NONE -> Optional.empty();
      case DEPRECATED -> Optional.of(mark.build());
      // As the value, since JavaPoet puts any other member on a line of its own.
      case FOR_REMOVAL -> Optional.of(mark.addMember("value", "forRemoval = true").build());
    };
  }

  /**
   * The annotation that keeps warnings out of the launcher, whose user has had them on the
   * interface. What is deprecated may use what is deprecated, unless that is to be removed.
   */
  static Optional<AnnotationSpec> suppression(KernelInterface source) {
    Deprecation used = source.deprecation();
    boolean usesDeprecated = false;
    for (KernelMethod kernel : source.kernels()) {
      boolean mayUseDeprecated = source.deprecation().or(kernel.deprecation()) != Deprecation.NONE;
      used = used.or(kernel.deprecation());
      for (Parameter parameter : kernel.parameters()) {
        if (parameter instanceof Parameter.Struct struct) {
          used = used.or(struct.deprecation());
          usesDeprecated |= !mayUseDeprecated && struct.deprecation() == Deprecation.DEPRECATED;
        }
      }
    }
    List<String> warnings = new ArrayList<>();
    if (usesDeprecated) {
      warnings.add("\"deprecation\"");
    }
    if (used == Deprecation.FOR_REMOVAL) {
      warnings.add("\"removal\"");
    }
    if (warnings.isEmpty()) {
      return Optional.empty();
    }
    String all = String.join(", ", warnings);
    return Optional.of(
        AnnotationSpec.builder(SuppressWarnings.class)
            .addMember("value", warnings.size() == 1 ? all : "{" + all + "}")
            .build());
  }
}
