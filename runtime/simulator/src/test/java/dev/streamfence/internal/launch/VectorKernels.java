package dev.streamfence.internal.launch;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
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
          .reads("x", float[].class)
          .readWrites("y", float[].class)
          .threads("n", int.class, 256);

  static final KernelSignature INCREMENT = increment(256);

  private static final KernelSignature INCREMENT_FOR_PEERS =
      KernelSignature.entry("increment")
          .readWrites("values", int[].class)
          .peer()
          .threads("n", int.class, 256);

  private static final KernelSignature ADD_FOR_PEERS =
      KernelSignature.entry("add")
          .reads("a", int[].class)
          .peer()
          .reads("b", int[].class)
          .peer()
          .writes("sum", int[].class)
          .peer()
          .threads("n", int.class, 256)
          .mayAlias();

  static final KernelSignature ADD = add(256);

  static final KernelSignature OVERRUN =
      KernelSignature.entry("overrun")
          .writes("values", int[].class)
          .value("n", int.class)
          .shape("shape");

  static final KernelSignature REVERSE =
      KernelSignature.entry("reverse").readWrites("values", int[].class).shape("shape");

  static final KernelSignature NUMBER =
      KernelSignature.entry("number").writes("values", int[].class).shape("shape");

  private final DeviceStream stream;
  private final LaunchRecorder saxpy;
  private final LaunchRecorder increment;
  private final LaunchRecorder add;
  private final LaunchRecorder overrun;
  private final LaunchRecorder reverse;
  private final LaunchRecorder number;

  private VectorKernels(DeviceStream stream, KernelSignature increments, KernelSignature adds) {
    LoadedModule module = LoadedModule.of(stream, IMAGE);
    this.stream = stream;
    saxpy = module.recorder(SAXPY);
    increment = module.recorder(increments);
    add = module.recorder(adds);
    overrun = module.recorder(OVERRUN);
    reverse = module.recorder(REVERSE);
    number = module.recorder(NUMBER);
  }

  public static VectorKernels on(DeviceStream stream) {
    return new VectorKernels(stream, INCREMENT, ADD);
  }

  /**
   * The same, but {@code increment} and {@code add} in blocks of one warp: for many launches over a
   * few elements, since the simulated device creates the threads that have none as well.
   */
  public static VectorKernels inSmallBlocksOn(DeviceStream stream) {
    return new VectorKernels(stream, increment(32), add(32));
  }

  /** The same, but arrays of {@code increment} and {@code add} may be of another device. */
  public static VectorKernels forPeersOn(DeviceStream stream) {
    return new VectorKernels(stream, INCREMENT_FOR_PEERS, ADD_FOR_PEERS);
  }

  private static KernelSignature increment(int blockSize) {
    return KernelSignature.entry("increment")
        .readWrites("values", int[].class)
        .threads("n", int.class, blockSize);
  }

  private static KernelSignature add(int blockSize) {
    return KernelSignature.entry("add")
        .reads("a", int[].class)
        .reads("b", int[].class)
        .writes("sum", int[].class)
        .threads("n", int.class, blockSize)
        .mayAlias();
  }

  /** The stream of the launches. */
  public DeviceStream stream() {
    return stream;
  }

  public void saxpy(float a, ReadableArray<float[]> x, DeviceArray<float[]> y, int n) {
    try (LaunchRecorder recorder = saxpy.begin()) {
      recorder.value(a).array(x).array(y).threads(n).preflight().launch().commit();
    }
  }

  public void increment(DeviceArray<int[]> values, int n) {
    try (LaunchRecorder recorder = increment.begin()) {
      recorder.array(values).threads(n).preflight().launch().commit();
    }
  }

  public void add(ReadableArray<int[]> a, ReadableArray<int[]> b, DeviceArray<int[]> sum, int n) {
    try (LaunchRecorder recorder = add.begin()) {
      recorder.array(a).array(b).array(sum).threads(n).preflight().launch().commit();
    }
  }

  public void overrun(DeviceArray<int[]> values, int n) {
    try (LaunchRecorder recorder = overrun.begin()) {
      LaunchShape oneMore = LaunchShape.covering(n + 1L, 32);
      recorder.array(values).value(n).shape(oneMore).preflight().launch().commit();
    }
  }

  public void reverse(DeviceArray<int[]> values, LaunchShape shape) {
    try (LaunchRecorder recorder = reverse.begin()) {
      recorder.array(values).shape(shape).preflight().launch().commit();
    }
  }

  public void number(DeviceArray<int[]> values, LaunchShape shape) {
    try (LaunchRecorder recorder = number.begin()) {
      recorder.array(values).shape(shape).preflight().launch().commit();
    }
  }

  /** A recorder of {@code increment}, for steps that a launcher does not take. */
  public static LaunchRecorder incrementOn(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE).recorder(INCREMENT);
  }

  /** A recorder of {@code increment} whose array may be of another device. */
  public static LaunchRecorder incrementForPeersOn(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE).recorder(INCREMENT_FOR_PEERS);
  }

  /** A recorder of {@code add} whose arrays may be of another device. */
  public static LaunchRecorder addForPeersOn(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE).recorder(ADD_FOR_PEERS);
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
