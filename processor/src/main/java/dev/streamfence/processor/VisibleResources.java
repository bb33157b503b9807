package dev.streamfence.processor;

import dev.streamfence.processor.model.ResourceName;
import dev.streamfence.processor.verify.ModuleCode;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.annotation.processing.Filer;
import javax.tools.StandardLocation;

/**
 * Finds the resources of the compiled code while it is being compiled: in the folders of an option,
 * where classes are written to, as Maven copies resources there first, and on the class path.
 * Confined to one thread at a time.
 */
final class VisibleResources {
  /** Folders with resources, for builds that keep them apart until they are packaged. */
  static final String OPTION = "streamfence.resources";

  private static final List<StandardLocation> LOCATIONS =
      List.of(StandardLocation.CLASS_OUTPUT, StandardLocation.CLASS_PATH);

  private final Filer filer;
  private final List<String> folders;

  /**
   * Resources that a compiler sees.
   *
   * @param option the folders, with the platform's separator between them, or empty
   */
  VisibleResources(Filer filer, String option) {
    this.filer = filer;
    this.folders = option.isEmpty() ? List.of() : List.of(option.split(File.pathSeparator, -1));
  }

  /** The first entry of the option that is no folder. */
  Optional<String> wrongFolder() {
    return folders.stream().filter(folder -> !isFolder(folder)).findFirst();
  }

  /** The file of a resource, or as much of it as anybody looks at. */
  Optional<byte[]> read(ResourceName name) {
    for (String folder : folders) {
      if (!isFolder(folder)) {
        continue;
      }
      Optional<byte[]> file = readFile(folder, name);
      if (file.isPresent()) {
        return file;
      }
    }
    for (StandardLocation location : LOCATIONS) {
      Optional<byte[]> file = readFrom(location, name);
      if (file.isPresent()) {
        return file;
      }
    }
    return Optional.empty();
  }

  private static boolean isFolder(String folder) {
    try {
      // An empty name would be the folder that the compiler happens to run in.
      return !folder.isEmpty() && Files.isDirectory(Path.of(folder));
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private static Optional<byte[]> readFile(String folder, ResourceName name) {
    try (InputStream in = Files.newInputStream(Path.of(folder).resolve(name.value()))) {
      return Optional.of(upToLimit(in));
    } catch (IOException | InvalidPathException e) {
      return Optional.empty();
    }
  }

  /** Compilers answer what is not there, or a location that they have not got, in many ways. */
  private Optional<byte[]> readFrom(StandardLocation location, ResourceName name) {
    try (InputStream in = filer.getResource(location, "", name.value()).openInputStream()) {
      return in == null ? Optional.empty() : Optional.of(upToLimit(in));
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  private static byte[] upToLimit(InputStream in) throws IOException {
    return in.readNBytes(ModuleCode.MAX_BYTES + 1);
  }
}
