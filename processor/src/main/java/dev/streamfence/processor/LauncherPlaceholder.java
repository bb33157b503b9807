package dev.streamfence.processor;

import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.generate.LauncherGenerator;
import dev.streamfence.processor.model.QualifiedName;
import dev.streamfence.processor.parse.KernelInterfaceParser;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import javax.annotation.processing.Filer;
import javax.lang.model.element.TypeElement;

/**
 * Writes a class in the place of a launcher whose interface has mistakes, so that the compiler does
 * not report each use of the launcher as well. Confined to one thread at a time.
 */
final class LauncherPlaceholder {
  /** Problems of interfaces that no class in their package can implement, or not by that name. */
  private static final Set<Problem> UNIMPLEMENTABLE =
      EnumSet.of(
          Problem.NOT_AN_INTERFACE,
          Problem.GENERIC,
          Problem.PRIVATE_INTERFACE,
          Problem.COMPACT_SOURCE,
          Problem.SEALED_INTERFACE,
          Problem.LAUNCHER_NAME_CLASH,
          Problem.LAUNCHER_METHOD_CLASH,
          Problem.ERASURE_CLASH,
          Problem.FINAL_METHOD,
          Problem.UNRESOLVED_TYPE,
          Problem.WRITE_FAILED);

  private final Filer filer;
  private final LauncherNames names;

  LauncherPlaceholder(Filer filer, LauncherNames names) {
    this.filer = filer;
    this.names = names;
  }

  /** Writes it, unless no class can implement the interface, or the name is taken. */
  void write(KernelInterfaceParser parser, TypeElement type, String module, Mistakes mistakes) {
    QualifiedName source = parser.name(type);
    if (mistakes.all().stream().anyMatch(it -> UNIMPLEMENTABLE.contains(it.problem()))
        || names.claim(module, source.launcher(), source).isPresent()) {
      return;
    }
    String text =
        new LauncherGenerator(KernelProcessor.class.getName())
            .placeholder(source, parser.isPublic(type));
    try {
      new LauncherWriter(filer).write(names.ofFile(module, source.launcher()), text, type);
    } catch (IOException e) {
      // The mistakes are the message; without the placeholder they come with more of the
      // compiler's.
    }
  }
}
