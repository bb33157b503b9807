package dev.streamfence.internal.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.internal.driver.jcuda.Shell;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tensors of numpy, in one process with it. Skipped where there is no numpy. */
final class NumpyTest {
  private static final String LIBRARY =
      """
      import os, sysconfig, numpy
      assert numpy.__version__ >= "2.1"
      where = sysconfig.get_config_var
      path = os.path.join(where("LIBDIR") or "", where("INSTSONAME") or "")
      print(path if where("Py_ENABLE_SHARED") and os.path.exists(path) else "none")
      """;

  @Test
  void numpyAndJavaPassEachOtherTensors(@TempDir Path folder) {
    String library = pythonLibrary();
    assumeTrue(library.endsWith("so") || library.contains(".so."), "no numpy: " + library);
    assertThat(
            Shell.java(folder.toString(), NumpyPeer.class, "-Dpython.library=" + library)
                .run()
                .strip())
        .endsWith("both ways");
  }

  private static String pythonLibrary() {
    try {
      return new Shell("python3", "-c", LIBRARY).run().strip();
    } catch (RuntimeException | AssertionError e) {
      return e.toString();
    }
  }
}
