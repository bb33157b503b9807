package dev.streamfence.internal.ptx.syntax;

import java.util.regex.Pattern;

/** Recognises the headers of the CUDA toolkit by their names. Stateless. */
final class ToolkitHeaders {
  /** A folder of the toolkit, in a path of any system. */
  private static final Pattern FOLDER =
      Pattern.compile(
          "(?i)(.*[/\\\\])?(cuda|cuda-[\\d.]+|v[\\d.]+|cu\\d+|cuda_[a-z]+|targets[/\\\\]+[^/\\\\]+)"
              + "[/\\\\]+include[/\\\\].*");

  /** The headers with device code that the toolkit keeps directly in its folder. */
  private static final Pattern NAME =
      Pattern.compile(
          "(cuda|cooperative_groups|cooperative_groups_[a-z_]+"
              + "|(sm_\\d\\d|cuda|common|device|math|surface|texture)_[a-z0-9_]+|mma|cuComplex)"
              + "\\.(h|hpp)");

  private ToolkitHeaders() {}

  static boolean contains(String file) {
    int name = Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1;
    return FOLDER.matcher(file).matches() || (name == 0 && NAME.matcher(file).matches());
  }
}
