package demo;

import dev.streamfence.Access;
import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.LaunchShape;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link Particles} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
final class ParticlesLauncher implements Particles {
  private static final KernelImage IMAGE =
      KernelImage.resource("kernels/particles.ptx", ParticlesLauncher.class::getResourceAsStream);

  private static final KernelSignature MOVE =
      KernelSignature.entry("move")
          .buffer("positions", ElementType.FLOAT, Access.READ_WRITE)
          .struct("box", float.class, float.class, boolean.class)
          .value("seconds", double.class)
          .threadCount("n", int.class)
          .blockSize(256)
          .build();

  private static final KernelSignature ADD =
      KernelSignature.entry("add")
          .trustedBuffer("a", ElementType.FLOAT, Access.READ)
          .buffer("sum", ElementType.FLOAT, Access.WRITE)
          .threadCount("n", int.class)
          .blockSize(256)
          .mayAlias()
          .build();

  private static final KernelSignature SETTLE =
      KernelSignature.entry("settle")
          .buffer("positions", ElementType.FLOAT, Access.READ_WRITE)
          .launchShape("shape")
          .cooperative()
          .build();

  private final LaunchRecorder move;

  private final LaunchRecorder add;

  private final LaunchRecorder settle;

  private ParticlesLauncher(DeviceStream stream) {
    final LoadedModule module = LoadedModule.of(stream, IMAGE);
    this.move = module.recorder(MOVE);
    this.add = module.recorder(ADD);
    this.settle = module.recorder(SETTLE);
  }

  /** Returns the kernels of {@link Particles}, launched on {@code stream}. */
  static ParticlesLauncher on(DeviceStream stream) {
    return new ParticlesLauncher(stream);
  }

  @Override
  public Completion move(DeviceArray<float[]> positions, Particles.Box box, double seconds, int n) {
    try (LaunchRecorder recorder = move.begin()) {
      recorder.readWrites(0, positions);
      recorder.struct(1, box);
      recorder.field(1, 0, box.width());
      recorder.field(1, 1, box.height());
      recorder.field(1, 2, box.isPeriodic());
      recorder.value(2, seconds);
      recorder.value(3, n);
      recorder.threads(n);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
      return recorder.completion();
    }
  }

  @Override
  public void add(DeviceArray<float[]> a, DeviceArray<float[]> sum, int n) {
    try (LaunchRecorder recorder = add.begin()) {
      recorder.reads(0, a);
      recorder.writes(1, sum);
      recorder.value(2, n);
      recorder.threads(n);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  @Override
  public void settle(DeviceArray<float[]> positions, LaunchShape shape) {
    try (LaunchRecorder recorder = settle.begin()) {
      recorder.readWrites(0, positions);
      recorder.shape(shape);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }
}
