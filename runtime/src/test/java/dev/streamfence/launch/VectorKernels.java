package dev.streamfence.launch;

import dev.streamfence.Access;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.LaunchShape;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** The kernels of {@code kernels/vector.cu}, launched as generated code would. Thread-safe. */
public final class VectorKernels {
  static final KernelImage IMAGE =
      KernelImage.resource("kernels/vector.ptx", VectorKernels.class::getResourceAsStream);

  /** The same, as if the compiler had compared it with whatever interface it is used for. */
  public static final KernelImage COMPARED_IMAGE =
      KernelImage.resource("kernels/vector.ptx", hash(), VectorKernels.class::getResourceAsStream);

  static final KernelSignature SAXPY =
      KernelSignature.entry("saxpy")
          .value("a", float.class)
          .buffer("x", ElementType.FLOAT, Access.READ)
          .buffer("y", ElementType.FLOAT, Access.READ_WRITE)
          .threadCount("n", int.class)
          .build();

  static final KernelSignature INCREMENT =
      KernelSignature.entry("increment")
          .buffer("values", ElementType.INT, Access.READ_WRITE)
          .threadCount("n", int.class)
          .build();

  static final KernelSignature ADD =
      KernelSignature.entry("add")
          .buffer("a", ElementType.INT, Access.READ)
          .buffer("b", ElementType.INT, Access.READ)
          .buffer("sum", ElementType.INT, Access.WRITE)
          .threadCount("n", int.class)
          .mayAlias()
          .build();

  static final KernelSignature OVERRUN =
      KernelSignature.entry("overrun")
          .buffer("values", ElementType.INT, Access.WRITE)
          .threadCount("n", int.class)
          .blockSize(32)
          .build();

  static final KernelSignature REVERSE =
      KernelSignature.entry("reverse")
          .buffer("values", ElementType.INT, Access.READ_WRITE)
          .launchShape("shape")
          .build();

  static final KernelSignature NUMBER =
      KernelSignature.entry("number")
          .buffer("values", ElementType.INT, Access.WRITE)
          .launchShape("shape")
          .build();

  private final LaunchRecorder saxpy;
  private final LaunchRecorder increment;
  private final LaunchRecorder add;
  private final LaunchRecorder overrun;
  private final LaunchRecorder reverse;
  private final LaunchRecorder number;

  private VectorKernels(DeviceStream stream) {
    LoadedModule module = LoadedModule.of(stream, IMAGE);
    saxpy = module.recorder(SAXPY);
    increment = module.recorder(INCREMENT);
    add = module.recorder(ADD);
    overrun = module.recorder(OVERRUN);
    reverse = module.recorder(REVERSE);
    number = module.recorder(NUMBER);
  }

  public static VectorKernels on(DeviceStream stream) {
    return new VectorKernels(stream);
  }

  public void saxpy(float a, DeviceArray<float[]> x, DeviceArray<float[]> y, int n) {
    try (LaunchRecorder recorder = saxpy.begin()) {
      recorder.value(0, a);
      recorder.reads(1, x);
      recorder.readWrites(2, y);
      recorder.value(3, n);
      recorder.threads(n);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  public void increment(DeviceArray<int[]> values, int n) {
    try (LaunchRecorder recorder = increment.begin()) {
      recorder.readWrites(0, values);
      recorder.value(1, n);
      recorder.threads(n);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  public void add(DeviceArray<int[]> a, DeviceArray<int[]> b, DeviceArray<int[]> sum, int n) {
    try (LaunchRecorder recorder = add.begin()) {
      recorder.reads(0, a);
      recorder.reads(1, b);
      recorder.writes(2, sum);
      recorder.value(3, n);
      recorder.threads(n);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  public void overrun(DeviceArray<int[]> values, int n) {
    try (LaunchRecorder recorder = overrun.begin()) {
      recorder.writes(0, values);
      recorder.value(1, n);
      recorder.threads(n + 1L);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  public void reverse(DeviceArray<int[]> values, LaunchShape shape) {
    try (LaunchRecorder recorder = reverse.begin()) {
      recorder.readWrites(0, values);
      recorder.shape(shape);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  public void number(DeviceArray<int[]> values, LaunchShape shape) {
    try (LaunchRecorder recorder = number.begin()) {
      recorder.writes(0, values);
      recorder.shape(shape);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  /** A recorder of {@code increment}, for steps that a launcher does not take. */
  public static LaunchRecorder incrementOn(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE).recorder(INCREMENT);
  }

  /** A recorder of a module that no other recorder shares, so that it is loaded by this call. */
  public static LaunchRecorder incrementOfFreshModule(DeviceStream stream) {
    KernelImage fresh =
        KernelImage.resource("kernels/vector.ptx", VectorKernels.class::getResourceAsStream);
    return LoadedModule.of(stream, fresh).recorder(INCREMENT);
  }

  static String hash() {
    try (InputStream resource =
        Objects.requireNonNull(VectorKernels.class.getResourceAsStream("/kernels/vector.ptx"))) {
      return KernelImage.sha256(resource.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
