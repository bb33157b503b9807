package dev.streamfence.internal.ptx;

import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxParameter;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The kernels of the tests, as the searches over all of them need them. */
public final class CorpusKernels {
  private CorpusKernels() {}

  /** All kernels of the tests whose arrays the interpreter finds, optimised and not. */
  public static List<Path> files() throws IOException, URISyntaxException {
    // A file, since the folder is also one of classes.
    Path file =
        Path.of(
            CorpusKernels.class.getResource("/dev/streamfence/internal/ptx/opcodes.txt").toURI());
    try (Stream<Path> files = Files.walk(file.getParent())) {
      return files.filter(each -> each.toString().endsWith(".ptx")).sorted().toList();
    }
  }

  /** Every parameter of 64 bits that may be an address counts as an array. */
  public static List<ArrayPlace> arrays(PtxEntry entry) {
    List<ArrayPlace> arrays = new ArrayList<>();
    for (int i = 0; i < entry.parameters().size(); i++) {
      PtxParameter parameter = entry.parameters().get(i);
      if (parameter.sizeInBytes() == Long.BYTES
          && parameter.kind() != PtxParameter.ParameterKind.FLOAT
          && parameter.kind() != PtxParameter.ParameterKind.STRUCT) {
        arrays.add(new ArrayPlace(i, 0));
      }
    }
    return arrays;
  }
}
