import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link Rootless} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
final class RootlessLauncher implements Rootless {
  /** The module. */
  private static final KernelImage IMAGE =
      KernelImage.resource("rootless.ptx", RootlessLauncher.class::getResourceAsStream);

  /** What {@code iota} takes. */
  private static final KernelSignature IOTA = KernelSignature.entry("iota")
      .writes("target", int[].class)
      .threads("n", int.class, 256);

  /** Launches {@code iota}. */
  private final LaunchRecorder iota;

  /**
   * Prepares the launches.
   *
   * @param stream launches the kernels
   */
  private RootlessLauncher(DeviceStream stream) {
    final LoadedModule module = module(stream);
    this.iota = module.recorder(IOTA, Rootless.class, "iota");
  }

  /**
   * The kernels of {@link Rootless}, launched on one stream.
   *
   * @param stream launches them
   * @return the launcher
   */
  static RootlessLauncher on(DeviceStream stream) {
    return new RootlessLauncher(stream);
  }

  /**
   * The module of {@link Rootless}, for the occupancy of its kernels and to unload it.
   *
   * @param stream a stream of the device
   * @return the module, which is loaded unless it is already
   */
  static LoadedModule module(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE);
  }

  @Override
  public void iota(DeviceArray<int[]> target, int n) {
    try (LaunchRecorder recorder = iota.begin()) {
      recorder.array(target).threads(n).preflight().launch().commit();
    }
  }
}
