package dev.streamfence.processor.generate;

import com.palantir.javapoet.AnnotationSpec;
import dev.streamfence.processor.model.Deprecation;
import dev.streamfence.processor.model.KernelInterface;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.NullMark;
import dev.streamfence.processor.model.RecordType;
import dev.streamfence.processor.model.SymbolMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Generates a launcher's annotations about deprecation, its own and of what it uses. Stateless. */
final class DeprecationGenerator {
  private DeprecationGenerator() {}

  /** The annotation that passes a deprecation on to the launcher's callers. */
  static Optional<AnnotationSpec> mark(Deprecation deprecation) {
    AnnotationSpec.Builder mark = AnnotationSpec.builder(Deprecated.class);
    return switch (deprecation) {
      case NONE -> Optional.empty();
      case DEPRECATED -> Optional.of(mark.build());
      // Written as the value, because JavaPoet puts any other member on a line of its own.
      case FOR_REMOVAL -> Optional.of(mark.addMember("value", "forRemoval = true").build());
    };
  }

  /**
   * The annotation that keeps warnings out of the launcher, because the user has seen them on the
   * interface. Deprecated code may use deprecated code without a warning, unless it is marked for
   * removal.
   */
  static Optional<AnnotationSpec> suppression(KernelInterface source) {
    Deprecation used = source.deprecation();
    boolean usesDeprecated = false;
    for (KernelMethod kernel : source.kernels()) {
      boolean mayUseDeprecated = source.deprecation().or(kernel.deprecation()) != Deprecation.NONE;
      used = used.or(kernel.deprecation());
      Stream<Deprecation> records = kernel.records().values().stream().map(RecordType::deprecation);
      Stream<Deprecation> marks = kernel.nullMarks().values().stream().map(NullMark::deprecation);
      for (Deprecation type : Stream.concat(records, marks).toList()) {
        used = used.or(type);
        usesDeprecated |= !mayUseDeprecated && type == Deprecation.DEPRECATED;
      }
    }
    for (SymbolMethod symbol : source.symbols()) {
      used = used.or(symbol.deprecation());
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
