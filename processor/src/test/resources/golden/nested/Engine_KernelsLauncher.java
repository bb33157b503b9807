package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelOccupancy;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link Engine.Kernels} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
@Deprecated
final class Engine_KernelsLauncher implements Engine.Kernels {
  private static final KernelImage IMAGE =
      KernelImage.resource("engine.ptx", Engine_KernelsLauncher.class::getResourceAsStream);
  private static final KernelSignature IOTA = KernelSignature.entry("iota")
      .writes("target", int[].class)
      .threads("n", int.class, 256);
  private static final KernelSignature ZERO = KernelSignature.entry("zero")
      .writes("target", int[].class)
      .threads("n", int.class, 256);

  private final LaunchRecorder iota;
  private final LaunchRecorder zero;
  private final LoadedModule module;

  private Engine_KernelsLauncher(DeviceStream stream) {
    final LoadedModule module = LoadedModule.of(stream, IMAGE);
    this.iota = module.recorder(IOTA);
    this.zero = module.recorder(ZERO);
    this.module = module;
  }

  /** Returns the kernels of {@link Engine.Kernels}, launched on {@code stream}. */
  static Engine_KernelsLauncher on(DeviceStream stream) {
    return new Engine_KernelsLauncher(stream);
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

  @Override
  @Deprecated
  public void zero(DeviceArray<int[]> target, int n) {
    try (LaunchRecorder recorder = zero.begin()) {
      recorder.array(target).threads(n).preflight().launch().commit();
    }
  }
}
