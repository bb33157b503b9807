package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link VectorKernels} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
public final class VectorKernelsLauncher implements VectorKernels {
  /** The module. */
  private static final KernelImage IMAGE =
      KernelImage.resource(
          "kernels/vector.ptx",
          "d1be7f542c5fff788bc0d2824ecca023a010b838be3fafef9dfa62b1c92cbc4e",
          VectorKernelsLauncher.class::getResourceAsStream);

  /** What {@code saxpy} takes. */
  private static final KernelSignature SAXPY = KernelSignature.entry("saxpy")
      .value("a", float.class)
      .reads("x", float[].class)
      .readWrites("y", float[].class)
      .threads("n", int.class, 256)
      .analysed(
          "BgAAAgYACAIQCEJBU0UQQVJHVU1FTlQOU1BFQ0lBTBBNVUxUSVBMWQZBREQWU0lHTl9FWFRFTkQa"
              + "TEVTU19PUl9FUVVBTBBDT05TVEFOVAIcTEFTVF9PRl9HVUFSRFMkAH4AAAgAfgIACAI+AAAABD4G"
              + "AAAEPgwAAAQ+AAAABj4ABAYIAAg+AAQMCgAKfgACDgAKfgACBAAMAAAEEhAADn4IAAAGfgAEEBYA"
              + "CH4ABAAYCA5+AAAACH4ABBocCAh+AAQCGAgIfgAEIBwIAAICAAQCAgQBAAICAggCAgAABAJWAAAC"
              + "AAgCFAAAHgACAAJaAAACAAgCFAAAIgACAA");

  /** Launches {@code saxpy}. */
  private final LaunchRecorder saxpy;

  /**
   * Prepares the launches.
   *
   * @param stream launches the kernels
   */
  private VectorKernelsLauncher(DeviceStream stream) {
    final LoadedModule module = module(stream);
    this.saxpy = module.recorder(SAXPY, VectorKernels.class, "saxpy");
  }

  /**
   * The kernels of {@link VectorKernels}, launched on one stream.
   *
   * @param stream launches them
   * @return the launcher
   */
  public static VectorKernelsLauncher on(DeviceStream stream) {
    return new VectorKernelsLauncher(stream);
  }

  /**
   * The module of {@link VectorKernels}, for the occupancy of its kernels and to unload it.
   *
   * @param stream a stream of the device
   * @return the module, which is loaded unless it is already
   */
  public static LoadedModule module(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE);
  }

  /**
   * {@inheritDoc}
   *
   * <p>Bounds: 'x' provable and checked at launch; 'y' provable and checked at launch.
   *
   * <p>Races: no two threads of a launch conflict.
   */
  @Override
  public void saxpy(float a, DeviceArray<float[]> x, DeviceArray<float[]> y, int n) {
    try (LaunchRecorder recorder = saxpy.begin()) {
      recorder.value(a).array(x).array(y).threads(n).preflight().launch().commit();
    }
  }
}
