package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link FastFloats} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
public final class FastFloatsLauncher implements FastFloats {
  /** The module. */
  private static final KernelImage IMAGE =
      KernelImage.resource("fast.ptx", FastFloatsLauncher.class::getResourceAsStream);

  /** What {@code negate} takes. */
  private static final KernelSignature NEGATE = KernelSignature.entry("negate")
      .readWrites("values", float[].class)
      .threads("n", int.class, 256);

  /** What {@code sort} takes. */
  private static final KernelSignature SORT = KernelSignature.entry("sort_fast")
      .readWrites("values", float[].class)
      .threads("n", int.class, 256);

  /** What {@code copy} takes. */
  private static final KernelSignature COPY = KernelSignature.entry("copy")
      .reads("from", float[].class)
      .writes("to", float[].class)
      .threads("n", int.class, 256);

  /** What {@code reverse} takes. */
  private static final KernelSignature REVERSE = KernelSignature.entry("reverse")
      .readWrites("values", float[].class)
      .threads("n", int.class, 256);

  /** Launches {@code negate}. */
  private final LaunchRecorder negate;

  /** Launches {@code sort}. */
  private final LaunchRecorder sort;

  /** Launches {@code copy}. */
  private final LaunchRecorder copy;

  /** Launches {@code reverse}. */
  private final LaunchRecorder reverse;

  /**
   * Prepares the launches.
   *
   * @param stream launches the kernels
   */
  private FastFloatsLauncher(DeviceStream stream) {
    final LoadedModule module = module(stream);
    this.negate = module.recorder(NEGATE, FastFloats.class, "negate");
    this.sort = module.recorder(SORT, FastFloats.class, "sort");
    this.copy = module.recorder(COPY, FastFloats.class, "copy");
    this.reverse = module.recorder(REVERSE, FastFloats.class, "reverse");
  }

  /**
   * The kernels of {@link FastFloats}, launched on one stream.
   *
   * @param stream launches them
   * @return the launcher
   */
  public static FastFloatsLauncher on(DeviceStream stream) {
    return new FastFloatsLauncher(stream);
  }

  /**
   * The module of {@link FastFloats}, for the occupancy of its kernels and to unload it.
   *
   * @param stream a stream of the device
   * @return the module, which is loaded unless it is already
   */
  public static LoadedModule module(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE);
  }

  @Override
  public void negate(DeviceArray<float[]> values, int n) {
    try (LaunchRecorder recorder = negate.begin()) {
      recorder.array(values).threads(n).preflight().launch().commit();
    }
  }

  @Override
  public void sort(DeviceArray<float[]> values, int n) {
    try (LaunchRecorder recorder = sort.begin()) {
      recorder.array(values).threads(n).preflight().launch().commit();
    }
  }

  @Override
  public void copy(DeviceArray<float[]> from, DeviceArray<float[]> to, int n) {
    try (LaunchRecorder recorder = copy.begin()) {
      recorder.array(from).array(to).threads(n).preflight().launch().commit();
    }
  }

  @Override
  public void reverse(DeviceArray<float[]> values, int n) {
    try (LaunchRecorder recorder = reverse.begin()) {
      recorder.array(values).threads(n).preflight().launch().commit();
    }
  }
}
