package demo;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import java.util.List;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link Particles} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
final class ParticlesLauncher implements Particles {
  /** The module. */
  private static final KernelImage IMAGE =
      KernelImage.resource("kernels/particles.ptx", ParticlesLauncher.class::getResourceAsStream);

  /** What {@code move} takes. */
  private static final KernelSignature MOVE = KernelSignature.entry("move")
      .readWrites("positions", float[].class)
      .struct(KernelSignature.fields("box")
          .value("width", float.class)
          .value("height", float.class)
          .value("isPeriodic", boolean.class))
      .value("seconds", double.class)
      .threads("n", int.class, 256);

  /** What {@code add} takes. */
  private static final KernelSignature ADD = KernelSignature.entry("add")
      .reads("a", float[].class).trusted()
      .writes("sum", float[].class)
      .threads("n", int.class, 256)
      .mayAlias();

  /** What {@code collide} takes. */
  private static final KernelSignature COLLIDE = KernelSignature.entry("collide")
      .readWrites("particles", Particles.Particle[].class)
      .reads("walls", Particles.Particle[].class).optional()
      .writes("byKind", Particles.Particle[][].class)
      .struct(KernelSignature.fields("box")
          .value("width", float.class)
          .value("height", float.class)
          .value("isPeriodic", boolean.class))
      .threads("n", int.class, 256);

  /** What {@code settle} takes. */
  private static final KernelSignature SETTLE = KernelSignature.entry("settle")
      .readWrites("positions", float[].class)
      .shape("shape")
      .cooperative();

  /** Launches {@code move}. */
  private final LaunchRecorder move;

  /** Launches {@code add}. */
  private final LaunchRecorder add;

  /** Launches {@code collide}. */
  private final LaunchRecorder collide;

  /** Launches {@code settle}. */
  private final LaunchRecorder settle;

  /**
   * Prepares the launches.
   *
   * @param stream launches the kernels
   */
  private ParticlesLauncher(DeviceStream stream) {
    final LoadedModule module = module(stream);
    this.move = module.recorder(MOVE, Particles.class, "move");
    this.add = module.recorder(ADD, Particles.class, "add");
    this.collide = module.recorder(COLLIDE, Particles.class, "collide");
    this.settle = module.recorder(SETTLE, Particles.class, "settle");
  }

  /**
   * The kernels of {@link Particles}, launched on one stream.
   *
   * @param stream launches them
   * @return the launcher
   */
  static ParticlesLauncher on(DeviceStream stream) {
    return new ParticlesLauncher(stream);
  }

  /**
   * The module of {@link Particles}, for the occupancy of its kernels and to unload it.
   *
   * @param stream a stream of the device
   * @return the module, which is loaded unless it is already
   */
  static LoadedModule module(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE);
  }

  @Override
  public Completion move(DeviceArray<float[]> positions, Particles.Box box, double seconds, int n) {
    try (LaunchRecorder recorder = move.begin()) {
      recorder.array(positions);
      recorder.struct(box).value(box.width()).value(box.height()).value(box.isPeriodic());
      recorder.value(seconds).threads(n);
      return recorder.preflight().launch().commit().completion();
    }
  }

  @Override
  public void add(DeviceArray<float[]> a, DeviceArray<float[]> sum, int n) {
    try (LaunchRecorder recorder = add.begin()) {
      recorder.array(a).array(sum).threads(n).preflight().launch().commit();
    }
  }

  @Override
  public void collide(DeviceArray<Particles.Particle[]> particles,
      DeviceArray<Particles.Particle[]> walls, List<DeviceArray<Particles.Particle[]>> byKind,
      Particles.Box box, int n) {
    try (LaunchRecorder recorder = collide.begin()) {
      recorder.array(particles).array(walls).table(byKind);
      recorder.struct(box).value(box.width()).value(box.height()).value(box.isPeriodic());
      recorder.threads(n);
      recorder.preflight().launch().commit();
    }
  }

  @Override
  public void settle(DeviceArray<float[]> positions, LaunchShape shape) {
    try (LaunchRecorder recorder = settle.begin()) {
      recorder.array(positions).shape(shape).preflight().launch().commit();
    }
  }
}
