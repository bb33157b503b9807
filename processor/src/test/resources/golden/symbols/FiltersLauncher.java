package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link Filters} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
public final class FiltersLauncher implements Filters {
  /** The module. */
  private static final KernelImage IMAGE =
      KernelImage.resource("kernels/filters.ptx", FiltersLauncher.class::getResourceAsStream)
          .symbol("filter_weights", float[].class)
          .symbol("outside", int[].class);

  /** What {@code filter} takes. */
  private static final KernelSignature FILTER = KernelSignature.entry("filter")
      .reads("source", float[].class)
      .writes("target", float[].class)
      .threads("n", int.class, 256);

  /** Launches {@code filter}. */
  private final LaunchRecorder filter;

  /** What {@code weights} returns. */
  private final DeviceArray<float[]> weights;

  /** What {@code outside} returns. */
  private final DeviceArray<int[]> outside;

  /**
   * Prepares the launches.
   *
   * @param stream launches the kernels
   */
  private FiltersLauncher(DeviceStream stream) {
    final LoadedModule module = module(stream);
    this.filter = module.recorder(FILTER, Filters.class, "filter");
    this.weights = module.symbol("filter_weights", float[].class);
    this.outside = module.symbol("outside", int[].class);
  }

  /**
   * The kernels of {@link Filters}, launched on one stream.
   *
   * @param stream launches them
   * @return the launcher
   */
  public static FiltersLauncher on(DeviceStream stream) {
    return new FiltersLauncher(stream);
  }

  /**
   * The module of {@link Filters}, for the occupancy of its kernels and to unload it.
   *
   * @param stream a stream of the device
   * @return the module, which is loaded unless it is already
   */
  public static LoadedModule module(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE);
  }

  @Override
  public DeviceArray<float[]> weights() {
    return weights;
  }

  @Override
  public DeviceArray<int[]> outside() {
    return outside;
  }

  @Override
  public void filter(DeviceArray<float[]> source, DeviceArray<float[]> target, int n) {
    try (LaunchRecorder recorder = filter.begin()) {
      recorder.array(source).array(target).threads(n).preflight().launch().commit();
    }
  }
}
