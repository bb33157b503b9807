package dev.streamfence.internal.device;

import dev.streamfence.Access;
import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.ElementType;
import dev.streamfence.LaunchShape;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.VectorKernels;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;

/** The kernels of {@code kernels/vector.cu} that the failure matrix launches. */
enum FailureKernel {
  INCREMENT(
      KernelSignature.entry("increment")
          .buffer("values", ElementType.INT, Access.READ_WRITE)
          .threadCount("n", int.class)
          .build()),
  ADD(
      KernelSignature.entry("add")
          .buffer("a", ElementType.INT, Access.READ)
          .buffer("b", ElementType.INT, Access.READ)
          .buffer("sum", ElementType.INT, Access.WRITE)
          .threadCount("n", int.class)
          .build()),
  REVERSE(
      KernelSignature.entry("reverse")
          .buffer("values", ElementType.INT, Access.READ_WRITE)
          .launchShape("shape")
          .build()),
  TOGETHER(
      KernelSignature.entry("increment")
          .buffer("values", ElementType.INT, Access.READ_WRITE)
          .threadCount("n", int.class)
          .cooperative()
          .build());

  /** One image, which every runtime loads anew. */
  static final KernelImage IMAGE = imageOfKernels();

  private final KernelSignature signature;

  FailureKernel(KernelSignature signature) {
    this.signature = signature;
  }

  /** Only the kernels named here: the image is loaded thousands of times. */
  private static KernelImage imageOfKernels() {
    String[] parts = vectorPtx().split("(?=\\.visible \\.entry )");
    StringBuilder kept = new StringBuilder(parts[0]);
    for (String part : parts) {
      for (FailureKernel kernel : values()) {
        if (part.startsWith(".visible .entry " + kernel.name().toLowerCase(Locale.ROOT) + "(")) {
          kept.append(part);
        }
      }
    }
    return KernelImage.of("vector.ptx", kept.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static String vectorPtx() {
    try (InputStream resource =
        Objects.requireNonNull(VectorKernels.class.getResourceAsStream("/kernels/vector.ptx"))) {
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  KernelSignature signature() {
    return signature;
  }

  static void increment(LaunchRecorder increment, DeviceArray<int[]> values) {
    increment(increment, values, () -> {});
  }

  /** Launches, and does something else between preflight and launch. */
  static void increment(LaunchRecorder increment, DeviceArray<int[]> values, Runnable between) {
    try (LaunchRecorder recorder = increment.begin()) {
      prepare(recorder, values);
      between.run();
      recorder.launch();
      recorder.commit();
    }
  }

  /** Begins a launch and passes everything. */
  static void prepare(LaunchRecorder recorder, DeviceArray<int[]> values) {
    int length = (int) values.length();
    recorder.readWrites(0, values);
    recorder.value(1, length);
    recorder.threads(length);
    recorder.preflight();
  }

  static void add(
      LaunchRecorder add, DeviceArray<int[]> a, DeviceArray<int[]> b, DeviceArray<int[]> sum) {
    try (LaunchRecorder recorder = add.begin()) {
      prepare(recorder, a, b, sum);
      recorder.launch();
      recorder.commit();
    }
  }

  /** Launches, and answers when that is done. */
  static Completion completionOfAdd(
      LaunchRecorder add, DeviceArray<int[]> a, DeviceArray<int[]> b, DeviceArray<int[]> sum) {
    try (LaunchRecorder recorder = add.begin()) {
      prepare(recorder, a, b, sum);
      recorder.launch();
      recorder.commit();
      return recorder.completion();
    }
  }

  private static void prepare(
      LaunchRecorder recorder, DeviceArray<int[]> a, DeviceArray<int[]> b, DeviceArray<int[]> sum) {
    int length = (int) sum.length();
    recorder.reads(0, a);
    recorder.reads(1, b);
    recorder.writes(2, sum);
    recorder.value(3, length);
    recorder.threads(length);
    recorder.preflight();
  }

  static void reverse(LaunchRecorder reverse, DeviceArray<int[]> values, LaunchShape shape) {
    try (LaunchRecorder recorder = reverse.begin()) {
      recorder.readWrites(0, values);
      recorder.shape(shape);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }
}
