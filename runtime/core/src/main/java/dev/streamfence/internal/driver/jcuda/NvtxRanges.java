package dev.streamfence.internal.driver.jcuda;

import com.sun.jna.Function;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.driver.HostRanges;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ranges of NVTX, NVIDIA's library that names what a program does for its profilers, called through
 * JNA. Thread-safe.
 */
final class NvtxRanges implements HostRanges {
  /** Names a profiler's library, which NVTX loads; the profilers set it for what they start. */
  private static final String PROFILER = "NVTX_INJECTION64_PATH";

  /** The library of CUDA 12.9 and later, those of earlier ones, and that of Windows. */
  private static final List<String> LIBRARIES =
      List.of("libnvtx3interop.so.1", "libnvToolsExt.so.1", "nvToolsExt64_1.dll");

  private static final class Found {
    static final @Nullable NvtxRanges RANGES =
        System.getenv(PROFILER) == null && !Boolean.getBoolean("streamfence.nvtx")
            ? null
            : load(LIBRARIES);
  }

  private final Function push;
  private final Function pop;

  private NvtxRanges(com.sun.jna.NativeLibrary library) {
    this.push = library.getFunction("nvtxRangePushA");
    this.pop = library.getFunction("nvtxRangePop");
  }

  /** The ranges of this process; null without a profiler, or if there is no library. */
  static @Nullable NvtxRanges find() {
    return Found.RANGES;
  }

  static @Nullable NvtxRanges load(List<String> libraries) {
    for (String name : libraries) {
      try {
        return new NvtxRanges(com.sun.jna.NativeLibrary.getInstance(name));
      } catch (LinkageError e) {
        // The next one.
      }
    }
    LogTopic.DEVICES.warn(
        "no NVTX ranges for the profiler: none of " + libraries + " is on the library path");
    return null;
  }

  @Override
  public void push(String name) {
    push.invokeInt(new Object[] {name});
  }

  @Override
  public void pop() {
    pop.invokeInt(new Object[0]);
  }
}
