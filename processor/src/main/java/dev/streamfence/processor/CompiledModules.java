package dev.streamfence.processor;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.streamfence.internal.ptx.check.SourceHash;
import dev.streamfence.processor.VisibleResources.SourceFile;
import dev.streamfence.processor.compile.CompilerMessage;
import dev.streamfence.processor.compile.CompilerResult;
import dev.streamfence.processor.compile.CudaCompiler;
import dev.streamfence.processor.compile.InputRecord;
import dev.streamfence.processor.compile.RegularFile;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.model.ResourceName;
import dev.streamfence.processor.verify.ModuleCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.annotation.processing.Filer;
import javax.lang.model.element.TypeElement;
import javax.tools.FileObject;
import javax.tools.StandardLocation;

/**
 * The modules whose interfaces name a CUDA source. Each is compiled once in a compilation, into the
 * class output, and only if its source, what it includes, or the compiler has changed. Confined to
 * one thread at a time.
 */
final class CompiledModules {
  /** What follows the name of PTX in the name of the record of its inputs. */
  private static final String RECORD = ".inputs";

  private final Filer filer;
  private final CompilerOptions options;
  private final Map<ResourceName, CompiledModule> known = new HashMap<>();

  /** What is said about a source, and its PTX. */
  private record CompiledModule(List<SaidProblem> said, Optional<byte[]> ptx, SourceFile source) {}

  private record SaidProblem(Problem problem, List<Object> arguments) {
    static SaidProblem of(Problem problem, Object... arguments) {
      return new SaidProblem(problem, List.of(arguments));
    }
  }

  CompiledModules(Filer filer, CompilerOptions options) {
    this.filer = filer;
    this.options = options;
  }

  /**
   * The code of a source; reports why there is none.
   *
   * @param name the source's name
   * @param origin an interface that names it
   * @param place where it is named
   */
  ModuleCode code(
      ResourceName name,
      TypeElement origin,
      Culprit place,
      VisibleResources resources,
      Mistakes mistakes) {
    if (!options.mistake().isEmpty()) {
      mistakes.report(Problem.COMPILER_OPTION, place, options.mistake());
      return new ModuleCode.Uncompiled();
    }
    if (options.compiler().isEmpty()) {
      ModuleCode code = resources.code(name.code());
      if (code instanceof ModuleCode.Unseen) {
        mistakes.report(Problem.NO_CUDA_COMPILER, place, name.value(), name.code().value());
        return new ModuleCode.Uncompiled();
      }
      return code;
    }
    CompiledModule module = known.get(name);
    if (module == null) {
      Optional<SourceFile> source = resources.source(name);
      if (source.isEmpty()) {
        // It may appear in a later round.
        mistakes.report(Problem.NO_CUDA_SOURCE, place, name.value());
        return new ModuleCode.Uncompiled();
      }
      module = make(name, source.get(), options.compiler().get(), origin);
      known.put(name, module);
    }
    SourceFile source = module.source();
    module.said().forEach(it -> mistakes.report(it.problem(), place, it.arguments().toArray()));
    return module
        .ptx()
        .map(ptx -> resources.compiled(name, ptx, source))
        .orElseGet(ModuleCode.Uncompiled::new);
  }

  private CompiledModule make(
      ResourceName name, SourceFile source, CudaCompiler compiler, TypeElement origin) {
    String ptxName = name.code().value();
    Optional<byte[]> before = VisibleResources.read(filer, StandardLocation.CLASS_OUTPUT, ptxName);
    Optional<InputRecord> record =
        VisibleResources.read(filer, StandardLocation.SOURCE_OUTPUT, ptxName + RECORD)
            .map(InputRecord::parse);
    if (before.isPresent() && record.filter(it -> it.fits(compiler, before.get())).isPresent()) {
      // The warnings of a source that is not compiled again are not lost.
      return new CompiledModule(said(record.get().warnings()), before, source);
    }
    List<SaidProblem> said = new ArrayList<>();
    try {
      byte[] text = RegularFile.read(source.root().resolve(name.value()));
      CompilerResult result = compiler.compile(source.root(), name.value());
      for (CompilerMessage message : result.messages()) {
        said.add(
            SaidProblem.of(
                message.isError() ? Problem.CUDA_ERROR : Problem.CUDA_WARNING,
                name.value(),
                message.text()));
      }
      if (result.ptx().isEmpty()) {
        return new CompiledModule(said, Optional.empty(), source);
      }
      byte[] ptx = joined(SourceHash.line(text).getBytes(UTF_8), result.ptx().get());
      return new CompiledModule(said, write(name, ptx, compiler, result, origin, said), source);
    } catch (IOException e) {
      said.add(
          SaidProblem.of(
              Problem.COMPILER_FAILED,
              compiler.program(),
              name.value(),
              String.valueOf(e.getMessage())));
      return new CompiledModule(said, Optional.empty(), source);
    }
  }

  private static List<SaidProblem> said(List<String> warnings) {
    return warnings.stream()
        .map(warning -> warning.split("\t", 2))
        .filter(parts -> parts.length == 2)
        .map(parts -> SaidProblem.of(Problem.CUDA_WARNING, parts[0], parts[1]))
        .toList();
  }

  /** Whether a name is all path of a URI, as the Java compiler wants it. */
  private static boolean isPathOfUri(String name) {
    try {
      return name.equals(new URI(name).getRawPath());
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private Optional<byte[]> write(
      ResourceName name,
      byte[] ptx,
      CudaCompiler compiler,
      CompilerResult result,
      TypeElement origin,
      List<SaidProblem> said) {
    String ptxName = name.code().value();
    try {
      write(StandardLocation.CLASS_OUTPUT, ptxName, ptx, origin);
    } catch (IOException | RuntimeException e) {
      // javac takes no name with a space; it refuses a folder in the file's place in the same way.
      boolean isBadName = e instanceof IllegalArgumentException && !isPathOfUri(ptxName);
      said.add(
          SaidProblem.of(
              Problem.WRITE_FAILED,
              ptxName,
              isBadName
                  ? "the Java compiler accepts no resource of this name; rename the source"
                  : e));
      return Optional.empty();
    }
    if (isOutputOfClasses(ptxName + RECORD)) {
      // The record names files of this machine, and what is there is shipped.
      return Optional.of(ptx);
    }
    List<String> warnings =
        result.messages().stream().map(message -> name.value() + "\t" + message.text()).toList();
    Optional<InputRecord> record = InputRecord.of(compiler, ptx, result.inputs(), warnings);
    try {
      String text = record.map(InputRecord::text).orElse("");
      write(StandardLocation.SOURCE_OUTPUT, ptxName + RECORD, text.getBytes(UTF_8), origin);
    } catch (IOException | RuntimeException e) {
      // Without the record, the next compilation runs the compiler again.
      return Optional.of(ptx);
    }
    return Optional.of(ptx);
  }

  /**
   * Whether generated sources are written to the class output, as javac does without {@code -s}.
   */
  private boolean isOutputOfClasses(String name) {
    try {
      return filer
          .getResource(StandardLocation.SOURCE_OUTPUT, "", name)
          .toUri()
          .equals(filer.getResource(StandardLocation.CLASS_OUTPUT, "", name).toUri());
    } catch (IOException | RuntimeException e) {
      // An output that has no such file yet is another folder than that with the PTX.
      return false;
    }
  }

  private void write(StandardLocation location, String name, byte[] content, TypeElement origin)
      throws IOException {
    FileObject file = filer.createResource(location, "", name, origin);
    URI place = file.toUri();
    if ("file".equals(place.getScheme())
        && Files.exists(Path.of(place))
        && !VisibleResources.isRegular(place)) {
      // Writing to a pipe would wait for its reader.
      throw new IOException(Path.of(place).getFileName() + " is no regular file; remove it");
    }
    try (OutputStream out = file.openOutputStream()) {
      out.write(content);
    }
  }

  private static byte[] joined(byte[] first, byte[] second) {
    ByteArrayOutputStream both = new ByteArrayOutputStream(first.length + second.length);
    both.writeBytes(first);
    both.writeBytes(second);
    return both.toByteArray();
  }
}
