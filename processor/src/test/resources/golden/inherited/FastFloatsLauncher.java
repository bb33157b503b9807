package demo;

import dev.streamfence.Access;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link FastFloats} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
public final class FastFloatsLauncher implements FastFloats {
  private static final KernelImage IMAGE =
      KernelImage.resource("fast.ptx", FastFloatsLauncher.class::getResourceAsStream);

  private static final KernelSignature NEGATE =
      KernelSignature.entry("negate")
          .buffer("values", ElementType.FLOAT, Access.READ_WRITE)
          .threadCount("n", int.class)
          .blockSize(256)
          .build();

  private static final KernelSignature SORT =
      KernelSignature.entry("sort_fast")
          .buffer("values", ElementType.FLOAT, Access.READ_WRITE)
          .threadCount("n", int.class)
          .blockSize(256)
          .build();

  private static final KernelSignature COPY =
      KernelSignature.entry("copy")
          .buffer("from", ElementType.FLOAT, Access.READ)
          .buffer("to", ElementType.FLOAT, Access.WRITE)
          .threadCount("n", int.class)
          .blockSize(256)
          .build();

  private static final KernelSignature REVERSE =
      KernelSignature.entry("reverse")
          .buffer("values", ElementType.FLOAT, Access.READ_WRITE)
          .threadCount("n", int.class)
          .blockSize(256)
          .build();

  private final LaunchRecorder negate;

  private final LaunchRecorder sort;

  private final LaunchRecorder copy;

  private final LaunchRecorder reverse;

  private FastFloatsLauncher(DeviceStream stream) {
    final LoadedModule module = LoadedModule.of(stream, IMAGE);
    this.negate = module.recorder(NEGATE);
    this.sort = module.recorder(SORT);
    this.copy = module.recorder(COPY);
    this.reverse = module.recorder(REVERSE);
  }

  /** Returns the kernels of {@link FastFloats}, launched on {@code stream}. */
  public static FastFloatsLauncher on(DeviceStream stream) {
    return new FastFloatsLauncher(stream);
  }

  @Override
  public void negate(DeviceArray<float[]> values, int n) {
    try (LaunchRecorder recorder = negate.begin()) {
      recorder.readWrites(0, values);
      recorder.value(1, n);
      recorder.threads(n);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  @Override
  public void sort(DeviceArray<float[]> values, int n) {
    try (LaunchRecorder recorder = sort.begin()) {
      recorder.readWrites(0, values);
      recorder.value(1, n);
      recorder.threads(n);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  @Override
  public void copy(DeviceArray<float[]> from, DeviceArray<float[]> to, int n) {
    try (LaunchRecorder recorder = copy.begin()) {
      recorder.reads(0, from);
      recorder.writes(1, to);
      recorder.value(2, n);
      recorder.threads(n);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  @Override
  public void reverse(DeviceArray<float[]> values, int n) {
    try (LaunchRecorder recorder = reverse.begin()) {
      recorder.readWrites(0, values);
      recorder.value(1, n);
      recorder.threads(n);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }
}
