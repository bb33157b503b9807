package dev.streamfence.examples.e06_cublas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The calls of cuBLAS, with a library in C in its place. */
class CuBlasTest {
  private static final long STREAM = 0x77;

  @TempDir static Path folder;
  private static String library;

  private final DeviceRuntime device = DeviceRuntime.simulated();
  private final DeviceStream stream = device.streams().acquire();

  @BeforeAll
  static void compile() throws IOException, InterruptedException {
    Path source = folder.resolve("cublas.c");
    library = folder.resolve("libcublas.so").toString();
    try (InputStream in =
        Objects.requireNonNull(CuBlasTest.class.getResourceAsStream("cublas.c"))) {
      Files.copy(in, source);
    }
    Process gcc;
    try {
      gcc =
          new ProcessBuilder("gcc", "-shared", "-fPIC", "-o", library, source.toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      assumeTrue(false, "this test needs gcc");
      throw e;
    }
    String log = new String(gcc.getInputStream().readAllBytes());
    assertThat(gcc.waitFor()).as(log).isZero();
  }

  @AfterEach
  void closeDevice() {
    device.close();
  }

  private static int openHandles() {
    return NativeLibrary.getInstance(library).getFunction("openHandles").invokeInt(new Object[0]);
  }

  private static long upload(Memory memory, float... values) {
    memory.write(0, values, 0, values.length);
    return Pointer.nativeValue(memory);
  }

  @Test
  void matricesByRowsAreMultiplied() {
    try (CuBlas blas = CuBlas.on(stream, List.of("libnone.so.99", library));
        Memory left = new Memory(16);
        Memory right = new Memory(16);
        Memory product = new Memory(16)) {
      blas.multiply(
          STREAM, upload(left, 1, 2, 3, 4), upload(right, 5, 6, 7, 8), upload(product, 9), 2);
      assertThat(product.getFloatArray(0, 4)).containsExactly(19, 22, 43, 50);
    }
  }

  @Test
  void theHandleIsDestroyedOnce() {
    CuBlas blas = CuBlas.on(stream, List.of(library));
    assertThat(openHandles()).isEqualTo(1);
    blas.close();
    blas.close();
    assertThat(openHandles()).isZero();
    assertThatIllegalStateException()
        .isThrownBy(() -> blas.multiply(STREAM, 0, 0, 0, 0))
        .withMessage("cublasSgemm after the close of cuBLAS");
  }

  @Test
  void anErrorHasTheNameOfItsStatus() {
    try (CuBlas blas = CuBlas.on(stream, List.of(library))) {
      assertThatIllegalStateException()
          .isThrownBy(() -> blas.multiply(0, 0, 0, 0, 0))
          .withMessage("cublasSgemm failed with CUBLAS_STATUS_EXECUTION_FAILED (13)");
    }
  }

  @Test
  void aMissingLibraryIsRefusedWithItsNamesAndTheRemedy() {
    assertThatIllegalStateException()
        .isThrownBy(() -> CuBlas.on(stream, List.of("libnone.so.99", "libnone.so.98")))
        .withMessage(
            "cuBLAS is not found as any of libnone.so.99, libnone.so.98; install it, or name its"
                + " folder with -Djna.library.path=...")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));
  }
}
