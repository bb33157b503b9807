import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelOccupancy;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link Rootless} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
final class RootlessLauncher implements Rootless {
  private static final KernelImage IMAGE =
      KernelImage.resource("rootless.ptx", RootlessLauncher.class::getResourceAsStream);
  private static final KernelSignature IOTA = KernelSignature.entry("iota")
      .writes("target", int[].class)
      .threads("n", int.class, 256);

  private final LaunchRecorder iota;
  private final LoadedModule module;

  private RootlessLauncher(DeviceStream stream) {
    final LoadedModule module = LoadedModule.of(stream, IMAGE);
    this.iota = module.recorder(IOTA);
    this.module = module;
  }

  /** Returns the kernels of {@link Rootless}, launched on {@code stream}. */
  static RootlessLauncher on(DeviceStream stream) {
    return new RootlessLauncher(stream);
  }

  /** Returns the occupancy of the kernel with the given entry point. */
  KernelOccupancy occupancy(String entry) {
    return module.occupancy(entry);
  }

  @Override
  public void iota(DeviceArray<int[]> target, int n) {
    try (LaunchRecorder recorder = iota.begin()) {
      recorder.array(target).threads(n).preflight().launch().commit();
    }
  }
}
