package dev.streamfence.processor;

import dev.streamfence.processor.compile.RegularFile;
import dev.streamfence.processor.model.ResourceName;
import dev.streamfence.processor.verify.CudaSource;
import dev.streamfence.processor.verify.KnownModules;
import dev.streamfence.processor.verify.ModuleCode;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.annotation.processing.Filer;
import javax.tools.FileObject;
import javax.tools.StandardLocation;
import org.jspecify.annotations.Nullable;

/**
 * Finds the resources of the compiled code during compilation: in the folders of an option, in the
 * class output folder, where Maven copies resources first, and on the class path. Confined to one
 * thread at a time.
 */
final class VisibleResources {
  /** Folders with resources, for builds that keep them apart until they are packaged. */
  static final String OPTION = "streamfence.resources";

  private static final String PTX = ".ptx";

  private static final List<StandardLocation> LOCATIONS =
      List.of(StandardLocation.CLASS_OUTPUT, StandardLocation.CLASS_PATH);

  private final Filer filer;
  private final List<String> folders;
  private final KnownModules modules = new KnownModules();

  /**
   * Creates a finder of resources.
   *
   * @param option the folders, separated by the platform's path separator, or empty
   */
  VisibleResources(Filer filer, String option) {
    this.filer = filer;
    this.folders = option.isEmpty() ? List.of() : List.of(option.split(File.pathSeparator, -1));
  }

  /** The first entry of the option that is not a folder. */
  Optional<String> wrongFolder() {
    return folders.stream().filter(folder -> !isFolder(folder)).findFirst();
  }

  /** The code in a resource. A missing resource may appear in a later round. */
  ModuleCode code(ResourceName name) {
    ModuleCode known = modules.find(name);
    return known == null ? look(name) : known;
  }

  /**
   * A CUDA source on a disk.
   *
   * @param root the folder from which it is named
   */
  record SourceFile(Path root) {
    private Optional<byte[]> read(String name) {
      return beside(root.toString(), name);
    }
  }

  /** The code that a source was compiled to in this compilation, or before. */
  ModuleCode compiled(ResourceName name, byte[] ptx, SourceFile from) {
    ModuleCode known = modules.find(name);
    return known != null
        ? known
        : modules.add(name, ptx, entries -> source(name.code(), entries, from::read));
  }

  /** A source that compilers can read: a file, and not a part of an archive. */
  Optional<SourceFile> source(ResourceName name) {
    for (String folder : folders) {
      try {
        if (isFolder(folder) && Files.isRegularFile(Path.of(folder).resolve(name.value()))) {
          return Optional.of(new SourceFile(Path.of(folder).toAbsolutePath().normalize()));
        }
      } catch (InvalidPathException e) {
        return Optional.empty();
      }
    }
    for (StandardLocation location : LOCATIONS) {
      try {
        Path file = Path.of(filer.getResource(location, "", name.value()).toUri());
        if (Files.isRegularFile(file)) {
          Path root = file.toAbsolutePath();
          for (int i = name.value().split("/", -1).length; i > 0 && root != null; i--) {
            root = root.getParent();
          }
          if (root != null && file.getFileSystem().equals(FileSystems.getDefault())) {
            return Optional.of(new SourceFile(root));
          }
        }
      } catch (IOException | RuntimeException ignored) {
        // Compilers signal a missing file in many ways.
      }
    }
    return Optional.empty();
  }

  private ModuleCode look(ResourceName name) {
    for (String folder : folders) {
      if (isFolder(folder)) {
        try {
          Optional<byte[]> file = readFile(folder, name.value());
          if (file.isPresent()) {
            return modules.add(
                name, file.get(), entries -> source(name, entries, other -> beside(folder, other)));
          }
        } catch (IOException e) {
          // A file of the same name elsewhere would be the wrong one.
          return new ModuleCode.Unreadable(e.toString());
        }
      }
    }
    for (StandardLocation location : LOCATIONS) {
      Optional<byte[]> file = readFrom(location, name.value());
      if (file.isPresent()) {
        return modules.add(
            name, file.get(), entries -> source(name, entries, other -> readFrom(location, other)));
      }
    }
    return new ModuleCode.Unseen();
  }

  private static Optional<byte[]> beside(String folder, String name) {
    try {
      return readFile(folder, name);
    } catch (IOException e) {
      // Messages can do without the source.
      return Optional.empty();
    }
  }

  private static Optional<CudaSource> source(
      ResourceName ptx, Collection<String> entries, Function<String, Optional<byte[]>> reader) {
    if (!ptx.value().endsWith(PTX)) {
      return Optional.empty();
    }
    String name = ptx.value().substring(0, ptx.value().length() - PTX.length()) + ".cu";
    return Optional.of(new CudaSource(name, entries, () -> reader.apply(name)));
  }

  private static boolean isFolder(String folder) {
    try {
      // An empty name would mean the folder in which the compiler happens to run.
      return !folder.isEmpty() && Files.isDirectory(Path.of(folder));
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private static Optional<byte[]> readFile(String folder, String name) throws IOException {
    Path file;
    try {
      file = Path.of(folder).resolve(name);
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try (InputStream in = Files.newInputStream(file)) {
      return Optional.of(RegularFile.upToLimit(in));
    }
  }

  private Optional<byte[]> readFrom(StandardLocation location, String name) {
    return read(filer, location, name);
  }

  /**
   * The content of a file, up to one byte more than the limit. Compilers signal a missing file, or
   * an unknown location, in many ways.
   */
  static Optional<byte[]> read(Filer filer, StandardLocation location, String name) {
    try {
      FileObject file = filer.getResource(location, "", name);
      if (!isRegular(file.toUri())) {
        return Optional.empty();
      }
      try (InputStream in = file.openInputStream()) {
        return in == null ? Optional.empty() : Optional.of(RegularFile.upToLimit(in));
      }
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  /**
   * Whether reading a file ends without another process, unlike a pipe; true inside archives, for
   * which Eclipse's compiler has no URI if their path has a space.
   */
  static boolean isRegular(@Nullable URI file) {
    return file == null || !"file".equals(file.getScheme()) || Files.isRegularFile(Path.of(file));
  }
}
