package dev.streamfence.examples.e09_kernels_at_run_time;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.NativeLongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** NVIDIA's compiler as a library, as it is installed with the CUDA toolkit. Thread-safe. */
public final class Nvrtc implements CudaCompiler {
  private static final List<String> LIBRARIES =
      List.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2");

  /** The functions of the library that the example calls; each returns 0 if it succeeds. */
  private interface Functions extends Library {
    int nvrtcCreateProgram(
        PointerByReference program,
        String source,
        String name,
        int headerCount,
        @Nullable Pointer headers,
        @Nullable Pointer includeNames);

    int nvrtcCompileProgram(Pointer program, int optionCount, String[] options);

    int nvrtcGetProgramLogSize(Pointer program, NativeLongByReference size);

    int nvrtcGetProgramLog(Pointer program, byte[] log);

    int nvrtcGetPTXSize(Pointer program, NativeLongByReference size);

    int nvrtcGetPTX(Pointer program, byte[] ptx);

    int nvrtcDestroyProgram(PointerByReference program);

    String nvrtcGetErrorString(int result);
  }

  private final Functions functions;

  private Nvrtc(Functions functions) {
    this.functions = functions;
  }

  /**
   * Finds the library.
   *
   * @throws IllegalStateException if it is not installed
   */
  public static Nvrtc installed() {
    return installed(LIBRARIES);
  }

  static Nvrtc installed(List<String> names) {
    return names.stream()
        .flatMap(name -> load(name).stream())
        .findFirst()
        .map(Nvrtc::new)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "no NVRTC is installed: looked for " + String.join(", ", names)));
  }

  private static Optional<Functions> load(String name) {
    try {
      return Optional.of(Native.load(name, Functions.class));
    } catch (UnsatisfiedLinkError e) {
      return Optional.empty();
    }
  }

  @Override
  public byte[] compile(String source, String architecture) {
    PointerByReference program = new PointerByReference();
    check(
        "nvrtcCreateProgram",
        functions.nvrtcCreateProgram(program, source, "kernel.cu", 0, null, null));
    try {
      String[] options = {"--gpu-architecture=" + architecture, "--generate-line-info"};
      int result = functions.nvrtcCompileProgram(program.getValue(), options.length, options);
      if (result != 0) {
        throw new IllegalArgumentException(
            functions.nvrtcGetErrorString(result) + ": " + log(program.getValue()));
      }
      NativeLongByReference size = new NativeLongByReference();
      check("nvrtcGetPTXSize", functions.nvrtcGetPTXSize(program.getValue(), size));
      byte[] ptx = new byte[size.getValue().intValue()];
      check("nvrtcGetPTX", functions.nvrtcGetPTX(program.getValue(), ptx));
      return Arrays.copyOf(ptx, ptx.length - 1); // without the zero at its end
    } finally {
      check("nvrtcDestroyProgram", functions.nvrtcDestroyProgram(program));
    }
  }

  private String log(Pointer program) {
    NativeLongByReference size = new NativeLongByReference();
    check("nvrtcGetProgramLogSize", functions.nvrtcGetProgramLogSize(program, size));
    byte[] log = new byte[size.getValue().intValue()];
    check("nvrtcGetProgramLog", functions.nvrtcGetProgramLog(program, log));
    return new String(log, UTF_8).replace("\0", "").strip();
  }

  private void check(String function, int result) {
    if (result != 0) {
      throw new IllegalStateException(function + ": " + functions.nvrtcGetErrorString(result));
    }
  }
}
