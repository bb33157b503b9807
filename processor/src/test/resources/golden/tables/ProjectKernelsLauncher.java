package demo;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import java.util.List;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link ProjectKernels} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
final class ProjectKernelsLauncher implements ProjectKernels {
  /** The module. */
  private static final KernelImage IMAGE =
      KernelImage.resource("kernels/project.ptx",
          ProjectKernelsLauncher.class::getResourceAsStream);

  /** What {@code take} takes. */
  private static final KernelSignature TAKE = KernelSignature.entry("take")
      .reads("columns", float[][].class)
      .reads("rows", int[].class)
      .writes("out", float[][].class)
      .threads("n", int.class, 256);

  /** What {@code filter} takes. */
  private static final KernelSignature FILTER = KernelSignature.entry("filter")
      .struct(KernelSignature.fields("key")
          .reads("values", int[].class)
          .reads("validity", byte[].class).trusted()
          .value("rows", long.class))
      .reads("mask", byte[].class).trusted().optional()
      .writes("selected", int[].class)
      .threads("n", int.class, 256);

  /** What {@code hash} takes. */
  private static final KernelSignature HASH = KernelSignature.entry("hash")
      .reads("columns", Object[].class).trusted()
      .reads("more", Object[].class)
      .reads("rest", Object[].class)
      .writes("hashes", long[].class)
      .threads("n", long.class, 256);

  /** What {@code scale} takes. */
  private static final KernelSignature SCALE = KernelSignature.entry("scale")
      .struct(KernelSignature.fields("batch")
          .value("scale", float.class)
          .readWrites("columns", float[][].class)
          .value("count", int.class))
      .threads("n", int.class, 256);

  /** Launches {@code take}. */
  private final LaunchRecorder take;

  /** Launches {@code filter}. */
  private final LaunchRecorder filter;

  /** Launches {@code hash}. */
  private final LaunchRecorder hash;

  /** Launches {@code scale}. */
  private final LaunchRecorder scale;

  /**
   * Prepares the launches.
   *
   * @param stream launches the kernels
   */
  private ProjectKernelsLauncher(DeviceStream stream) {
    final LoadedModule module = module(stream);
    this.take = module.recorder(TAKE, ProjectKernels.class, "take");
    this.filter = module.recorder(FILTER, ProjectKernels.class, "filter");
    this.hash = module.recorder(HASH, ProjectKernels.class, "hash");
    this.scale = module.recorder(SCALE, ProjectKernels.class, "scale");
  }

  /**
   * The kernels of {@link ProjectKernels}, launched on one stream.
   *
   * @param stream launches them
   * @return the launcher
   */
  static ProjectKernelsLauncher on(DeviceStream stream) {
    return new ProjectKernelsLauncher(stream);
  }

  /**
   * The module of {@link ProjectKernels}, for the occupancy of its kernels and to unload it.
   *
   * @param stream a stream of the device
   * @return the module, which is loaded unless it is already
   */
  static LoadedModule module(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE);
  }

  @Override
  public void take(DeviceArray<float[]>[] columns, DeviceArray<int[]> rows,
      List<DeviceArray<float[]>> out, int n) {
    try (LaunchRecorder recorder = take.begin()) {
      recorder.table(columns).array(rows).table(out).threads(n).preflight().launch().commit();
    }
  }

  @Override
  public Completion filter(ProjectKernels.Column key, DeviceArray<byte[]> mask,
      DeviceArray<int[]> selected, int n) {
    try (LaunchRecorder recorder = filter.begin()) {
      recorder.struct(key).array(key.values()).array(key.validity()).value(key.rows());
      recorder.array(mask).array(selected).threads(n);
      return recorder.preflight().launch().commit().completion();
    }
  }

  @Override
  public void hash(DeviceArray<?>[] columns, List<? extends DeviceArray<?>> more,
      List<DeviceArray<?>> rest, DeviceArray<long[]> hashes, long n) {
    try (LaunchRecorder recorder = hash.begin()) {
      recorder.table(columns).table(more).table(rest).array(hashes).threads(n);
      recorder.preflight().launch().commit();
    }
  }

  @Override
  public void scale(ProjectKernels.Batch batch, int n) {
    try (LaunchRecorder recorder = scale.begin()) {
      recorder.struct(batch).value(batch.scale()).table(batch.columns()).value(batch.count());
      recorder.threads(n);
      recorder.preflight().launch().commit();
    }
  }
}
