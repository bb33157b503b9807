package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link Engine.Kernels} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
@Deprecated
final class Engine_KernelsLauncher implements Engine.Kernels {
  /** The module. */
  private static final KernelImage IMAGE =
      KernelImage.resource("engine.ptx", Engine_KernelsLauncher.class::getResourceAsStream);

  /** What {@code iota} takes. */
  private static final KernelSignature IOTA = KernelSignature.entry("iota")
      .writes("target", int[].class)
      .threads("n", int.class, 256);

  /** What {@code zero} takes. */
  private static final KernelSignature ZERO = KernelSignature.entry("zero")
      .writes("target", int[].class)
      .threads("n", int.class, 256);

  /** Launches {@code iota}. */
  private final LaunchRecorder iota;

  /** Launches {@code zero}. */
  private final LaunchRecorder zero;

  /**
   * Prepares the launches.
   *
   * @param stream launches the kernels
   */
  private Engine_KernelsLauncher(DeviceStream stream) {
    final LoadedModule module = module(stream);
    this.iota = module.recorder(IOTA, Engine.Kernels.class, "iota");
    this.zero = module.recorder(ZERO, Engine.Kernels.class, "zero");
  }

  /**
   * The kernels of {@link Engine.Kernels}, launched on one stream.
   *
   * @param stream launches them
   * @return the launcher
   */
  static Engine_KernelsLauncher on(DeviceStream stream) {
    return new Engine_KernelsLauncher(stream);
  }

  /**
   * The module of {@link Engine.Kernels}, for the occupancy of its kernels and to unload it.
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

  @Override
  @Deprecated
  public void zero(DeviceArray<int[]> target, int n) {
    try (LaunchRecorder recorder = zero.begin()) {
      recorder.array(target).threads(n).preflight().launch().commit();
    }
  }
}
