package dev.streamfence.internal.device;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.Download;
import dev.streamfence.PinnedArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.launch.RecordElement;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Arrays of records: on the device, between host and device, and as arguments of kernels. */
final class RecordArraysTest {
  /** 12 bytes of fields in 24, with padding in the middle and at the end. */
  private record Point(float x, double y, byte tag) {}

  private record All(
      boolean z, byte b, char c, short s, int i, long l, float f, double d, boolean last) {}

  private record Small(byte value) {}

  private record Positive(int value) {
    Positive {
      if (value < 0) {
        throw new IllegalArgumentException("negative: " + value);
      }
    }
  }

  private record Broken(int value) {
    @Override
    public int value() {
      throw new UnsupportedOperationException("no value");
    }
  }

  private record Named(int id, String name) {}

  private record Empty() {}

  private record Of<T>(int id) {}

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  private static Point[] points(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new Point(i + 0.5f, -i, (byte) i))
        .toArray(Point[]::new);
  }

  @Test
  void recordsComeBackEqual() {
    Point[] host = points(5);
    DeviceArray<Point[]> array = gpu.memory().upload(a, host);
    assertThat(array.length()).isEqualTo(5);
    assertThat(array.sizeInBytes()).isEqualTo(5 * 24);
    assertThat(array.elementType()).isEqualTo(RecordElement.of(Point.class));
    assertThat(array.download(b)).isEqualTo(host);
    assertThat(array).hasToString("Point[5] in " + TrackedArray.of(array).region());
    array.close();
  }

  @Test
  void aFieldOfEachPrimitiveTypeComesBack() {
    All[] host = {
      new All(
          true,
          Byte.MIN_VALUE,
          '\uffff',
          Short.MIN_VALUE,
          Integer.MIN_VALUE,
          Long.MIN_VALUE,
          -1.5f,
          Math.PI,
          false),
      new All(false, (byte) 1, 'x', (short) 2, 3, 4, 5, 6, true)
    };
    try (DeviceArray<All[]> array = gpu.memory().upload(a, host)) {
      assertThat(array.download(a)).isEqualTo(host);
    }
  }

  /** The offsets of the C structure of the same fields, and zeros between them. */
  @Test
  void fieldsLieAsInCAndPaddingIsZero() {
    try (DeviceArray<Point[]> array = gpu.memory().allocate(a, Point[].class, 2)) {
      byte[] dirt = new byte[48];
      Arrays.fill(dirt, (byte) 0x55);
      DeviceArray<byte[]> bytes = array.view(0, 2).reinterpret(byte[].class);
      bytes.upload(a, dirt);
      array.upload(a, points(2));
      ByteBuffer expected = ByteBuffer.allocate(48).order(ByteOrder.nativeOrder());
      expected.putFloat(0, 0.5f).putDouble(8, -0.0 + 0).put(16, (byte) 0);
      expected.putFloat(24, 1.5f).putDouble(32, -1).put(40, (byte) 1);
      assertThat(bytes.download(a)).isEqualTo(expected.array());
    }
  }

  @Test
  void zeroedRecordsAreZeroInEveryByte() {
    try (DeviceArray<Point[]> array = gpu.memory().allocateZeroed(a, Point[].class, 3)) {
      assertThat(array.view(0, 3).reinterpret(byte[].class).download(b)).containsOnly(0);
      assertThat(array.download(b)).containsOnly(new Point(0, 0, (byte) 0));
    }
    gpu.memory().allocateZeroed(a, Point[].class, 0).close();
  }

  @Test
  void rangesAreTransferredLikeThoseOfPrimitives() {
    Point[] host = points(10);
    try (DeviceArray<Point[]> array = gpu.memory().upload(a, points(10))) {
      array.upload(a, 5, host, 1, 2);
      assertThat(array.download(b, 4, 4)).containsExactly(host[4], host[1], host[2], host[7]);
      Point[] target = new Point[3];
      array.download(b, 5, target, 1, 2);
      assertThat(target).containsExactly(null, host[1], host[2]);
      assertThat(array.download(b, 3, 0)).isEmpty();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.upload(a, 0, host, 9, 2))
          .withMessageContaining("upload with elements 9 to 10 of the host array, which has 10");
    }
  }

  @Test
  void laterAndTimedDownloadsMakeTheRecordsInTheEnd() throws InterruptedException {
    Point[] host = points(4);
    try (DeviceArray<Point[]> array = gpu.memory().upload(a, host)) {
      assertThat(array.downloadLater(b).value()).isEqualTo(host);
      Point[] target = new Point[3];
      Download<Point[]> later = array.downloadLater(b, 2, target, 1, 2);
      assertThat(later.value()).isSameAs(target);
      assertThat(target).containsExactly(null, host[2], host[3]);
      Point[] all = new Point[4];
      assertThat(array.download(b, all, Duration.ofSeconds(60))).isTrue();
      assertThat(all).isEqualTo(host);
    }
  }

  /** So many that the pieces of a transfer part records, on a page-locked chunk and on a thread. */
  @Test
  void aMillionRecordsOfThreeBytesComeBack() {
    record Color(byte red, byte green, byte blue) {}
    Color[] host = new Color[3_000_001];
    Arrays.setAll(host, i -> new Color((byte) i, (byte) (i >> 8), (byte) (i >> 16)));
    try (DeviceArray<Color[]> array = gpu.memory().upload(a, host)) {
      assertThat(array.sizeInBytes()).isEqualTo(9_000_003);
      assertThat(Arrays.equals(array.download(a), host)).isTrue();
      assertThat(array.download(a, 2_999_999, 1)).containsExactly(host[2_999_999]);
    }
  }

  @Test
  void viewsPartsAndCopiesAreOfRecords() {
    Point[] host = points(6);
    try (DeviceArray<Point[]> array = gpu.memory().upload(a, host);
        DeviceArray<Point[]> copy = array.copy(b)) {
      assertThat(copy.view(2, 3).download(a)).containsExactly(host[2], host[3], host[4]);
      copy.copyFrom(a, 4, array, 0, 2);
      assertThat(copy.download(b, 3, 3)).containsExactly(host[3], host[0], host[1]);
      try (DeviceParts<Point[]> parts = array.split(2)) {
        parts.get(1).upload(b, 0, new Point[] {host[0]}, 0, 1);
      }
      assertThat(array.download(a, 1, 2)).containsExactly(host[1], host[0]);
    }
  }

  @Test
  void buffersOfBytesAreTransferredAndOthersRefused() {
    RecordElement element = RecordElement.of(Point.class);
    ByteBuffer bytes = ByteBuffer.allocate(24).order(ByteOrder.nativeOrder());
    bytes.putFloat(element.offset(0), 2).putDouble(element.offset(1), 3);
    try (DeviceArray<Point[]> array = gpu.memory().upload(a, points(2))) {
      array.upload(a, 1, bytes);
      assertThat(array.download(a, 1, 1)).containsExactly(new Point(2, 3, (byte) 0));
      ByteBuffer target = ByteBuffer.allocate(48).order(ByteOrder.nativeOrder());
      array.download(a, 0, target);
      assertThat(target.getFloat(24)).isEqualTo(2);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.upload(a, 0, IntBuffer.allocate(6)))
          .withMessage("upload with a buffer of int; pass one of bytes");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.upload(a, 0, ByteBuffer.allocate(24).limit(23)))
          .withMessageContaining("order; the device's is");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.upload(a, 0, bytes.limit(23)))
          .withMessage("upload with 23 remaining bytes, not a multiple of the 24 bytes of a Point");
    }
  }

  @Test
  void pinnedRecordsAreBytesToTheHostAndRecordsToTheDevice() {
    Point[] host = points(3);
    try (PinnedArray<Point[]> pinned = gpu.memory().pinned(Point[].class, 3);
        DeviceArray<Point[]> array = gpu.memory().allocate(a, Point[].class, 3)) {
      pinned.put(0, host);
      assertThat(pinned.<Float>read(bytes -> bytes.getFloat(24))).isEqualTo(1.5f);
      array.upload(a, pinned);
      assertThat(array.download(b)).isEqualTo(host);
      array.upload(b, 2, points(1), 0, 1);
      array.download(b, pinned);
      assertThat(pinned.get(1, 2)).containsExactly(host[1], host[0]);
      assertThat(pinned.mapped().download(a, 0, 1)).containsExactly(host[0]);
      assertThat(pinned.elementType()).isEqualTo(RecordElement.of(Point.class));
    }
  }

  @Test
  void recordsAreNotFilled() {
    try (DeviceArray<Point[]> array = gpu.memory().upload(a, points(2))) {
      for (Runnable fill :
          List.<Runnable>of(
              () -> array.fill(a, 0), () -> array.fill(a, 0, 1, 1.5), () -> array.fill(a, true))) {
        assertThatIllegalArgumentException()
            .isThrownBy(fill::run)
            .withMessageStartingWith("Point[2] in ")
            .withMessageContaining(" cannot be filled with a ");
      }
    }
  }

  @Test
  void memoryIsReinterpretedAsRecordsIfItFits() {
    try (DeviceArray<int[]> ints = gpu.memory().upload(a, new int[12])) {
      ReadableArray<Point[]> points = ints.view(0, 12).reinterpret(Point[].class);
      assertThat(points.download(a)).containsExactly(new Point[] {zero(), zero()});
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ints.view(0, 7).reinterpret(Point[].class))
          .withMessageEndingWith("not a multiple of the 24 bytes of a Point");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ints.view(1, 6).reinterpret(Point[].class))
          .withMessageEndingWith("begins at byte 4, which is not aligned for a Point");
    }
  }

  private static Point zero() {
    return new Point(0, 0, (byte) 0);
  }

  @Test
  void aNullRecordIsRefusedByItsIndexBeforeAnythingIsQueued() {
    Point[] host = points(4);
    host[2] = null;
    try (DeviceArray<Point[]> array = gpu.memory().upload(a, points(4))) {
      long before = device.calls();
      String message =
          "element 2 of the host array is null; an array of Point on the device has no null"
              + " elements";
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.upload(a, host))
          .withMessage(message);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.upload(a, 0, host, 1, 2))
          .withMessage(message);
      assertThat(device.calls()).isEqualTo(before);
      array.upload(a, 0, host, 3, 1);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gpu.memory().upload(a, host))
        .withMessageContaining("element 2");
  }

  /** The value of the download that {@link Asking} asks for. */
  private static @Nullable Download<Asking[]> asked;

  private record Asking(int value) {
    Asking {
      if (value == 5) {
        Objects.requireNonNull(asked).value();
      }
    }
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aConstructorThatAsksForItsOwnDownloadIsRefused() {
    try (DeviceArray<Asking[]> array = gpu.memory().allocateZeroed(a, Asking[].class, 2)) {
      array.view(1, 1).reinterpret(int[].class).fill(a, 5);
      Download<Asking[]> download = array.downloadLater(a);
      asked = download;
      assertThatThrownBy(download::value)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the constructor of Asking refused element 1 of the downloaded range")
          .rootCause()
          .hasMessageStartingWith(
              "the constructor of an element asks for its own download, at the completion");
    } finally {
      asked = null;
    }
  }

  /** A record's methods run before an upload and after a download, so they disturb neither. */
  @Test
  void anErrorOfTheRecordLeavesTheArrayUsable() {
    try (DeviceArray<Broken[]> array = gpu.memory().allocate(a, Broken[].class, 1)) {
      assertThatThrownBy(() -> array.upload(a, new Broken[] {new Broken(1)}))
          .isInstanceOf(UnsupportedOperationException.class);
    }
    try (DeviceArray<Positive[]> array = gpu.memory().upload(a, new Positive[] {new Positive(1)})) {
      array.view(0, 1).reinterpret(int[].class).upload(a, new int[] {-7});
      assertThatThrownBy(() -> array.download(a))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the constructor of Positive refused element 0 of the downloaded range")
          .hasRootCauseMessage("negative: -7");
      Download<Positive[]> later = array.downloadLater(a);
      assertThatThrownBy(later::value).isInstanceOf(IllegalStateException.class);
      array.upload(a, new Positive[] {new Positive(8)});
      assertThat(array.download(a)).containsExactly(new Positive(8));
    }
  }

  @Test
  void otherClassesAreRefusedWithWhatIsWrong() {
    refuses(Named[].class, "whose name has type String; the components of such a record are");
    refuses(Empty[].class, "a record with 0 fields; an element has from 1 to 64");
    refuses(Of[].class, "which has the type parameter T; kernels are compiled for fixed types");
    refuses(String[].class, "java.lang.String[] is not an array of primitives or of a record");
    refuses(Record[].class, "is not an array of primitives or of a record");
    refuses(Point[][].class, "is not an array of primitives or of a record");
    refuses(Point.class, "is not an array of primitives or of a record");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RecordElement.of(String.class))
        .withMessage("java.lang.String is not a record");
    assertThat(gpu.memory().bytesOutstanding()).isZero();
  }

  private void refuses(Class<?> arrayType, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gpu.memory().allocate(a, arrayType, 1))
        .withMessageContaining(message);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gpu.memory().pinned(arrayType, 1))
        .withMessageContaining(message);
  }

  @Test
  void variablesHaveNoRecords() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> IMAGE.symbol("points", Point[].class))
        .withMessageEndingWith("Point[] is not an array of primitives");
  }

  @Test
  void aSignatureRefusesTheSameClasses() {
    KernelSignature k = KernelSignature.entry("k");
    for (Class<?> type : List.of(Named[].class, Empty[].class, Of[].class, Named[][].class)) {
      assertThatIllegalArgumentException().isThrownBy(() -> k.reads("x", type));
    }
  }

  @Test
  void anElementIsLaidOutByTheRulesOfC() {
    RecordElement point = RecordElement.of(Point.class);
    assertThat(point.fields())
        .containsExactly(ElementType.FLOAT, ElementType.DOUBLE, ElementType.BYTE);
    assertThat(List.of(point.offset(0), point.offset(1), point.offset(2)))
        .containsExactly(0, 8, 16);
    assertThat(point.sizeInBytes()).isEqualTo(24);
    assertThat(point.alignment()).isEqualTo(8);
    assertThat(ArrayElement.ofArray(Small[].class).sizeInBytes()).isEqualTo(1);
    assertThat(point)
        .isSameAs(ArrayElement.ofArray(Point[].class))
        .isEqualTo(new RecordElement(point.name(), point.fields()))
        .isNotEqualTo(new RecordElement(point.name(), List.of(ElementType.FLOAT)))
        .isNotEqualTo(RecordElement.of(Small.class))
        .hasToString(Point.class.getCanonicalName());
  }

  /** For each point, {@code out[i] = points[i].x}. */
  private static final KernelImage IMAGE =
      KernelImage.of(
          "points.ptx",
          """
          .version 7.0
          .target sm_75
          .address_size 64
          .visible .entry xs(.param .u64 points, .param .u64 out, .param .u32 n)
          {
            .reg .b32 %r<8>;
            .reg .b64 %rd<8>;
            .reg .f32 %f<2>;
            ld.param.u64 %rd1, [points];
            ld.param.u64 %rd2, [out];
            mov.u32 %r1, %tid.x;
            mul.wide.u32 %rd3, %r1, 24;
            add.s64 %rd4, %rd1, %rd3;
            ld.global.f32 %f1, [%rd4];
            mul.wide.u32 %rd5, %r1, 4;
            add.s64 %rd6, %rd2, %rd5;
            st.global.f32 [%rd6], %f1;
            ret;
          }
          .visible .entry firsts(.param .u64 points, .param .u64 out, .param .u32 n)
          {
            .reg .b32 %r<8>;
            .reg .b64 %rd<8>;
            .reg .f32 %f<2>;
            ld.param.u64 %rd1, [points];
            ld.param.u64 %rd2, [out];
            mov.u32 %r1, %tid.x;
            mul.wide.u32 %rd3, %r1, 8;
            add.s64 %rd4, %rd1, %rd3;
            ld.global.u64 %rd5, [%rd4];
            ld.global.f32 %f1, [%rd5];
            mul.wide.u32 %rd6, %r1, 4;
            add.s64 %rd7, %rd2, %rd6;
            st.global.f32 [%rd7], %f1;
            ret;
          }
          """
              .getBytes(US_ASCII));

  private static final KernelSignature XS =
      KernelSignature.entry("xs")
          .reads("points", Point[].class)
          .writes("out", float[].class)
          .threads("n", int.class, 2);

  private static final KernelSignature FIRSTS =
      KernelSignature.entry("firsts")
          .reads("points", Point[][].class)
          .writes("out", float[].class)
          .threads("n", int.class, 2);

  @Test
  void aKernelTakesAnArrayOfRecords() {
    LaunchRecorder xs = LoadedModule.of(a, IMAGE).recorder(XS);
    try (DeviceArray<Point[]> array = gpu.memory().upload(b, points(2));
        DeviceArray<Small[]> others = gpu.memory().allocate(b, Small[].class, 2);
        DeviceArray<float[]> out = gpu.memory().allocate(a, float[].class, 2)) {
      try (LaunchRecorder recorder = xs.begin()) {
        recorder.array(array).array(out).threads(2).preflight().launch().commit();
      }
      assertThat(out.download(b)).containsExactly(0.5f, 1.5f);
      try (LaunchRecorder recorder = xs.begin()) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> recorder.array(others))
            .withMessageStartingWith("xs: parameter 'points' is Small[2] in ")
            .withMessageEndingWith("; the kernel takes an array of Point");
        assertThatIllegalArgumentException()
            .isThrownBy(() -> recorder.array(out))
            .withMessageEndingWith("; the kernel takes an array of Point");
        recorder.array(array);
        assertThatIllegalArgumentException()
            .isThrownBy(() -> recorder.array(array))
            .withMessageEndingWith("; the kernel takes an array of float");
      }
    }
  }

  @Test
  void aKernelTakesATableOfArraysOfRecords() {
    LaunchRecorder firsts = LoadedModule.of(a, IMAGE).recorder(FIRSTS);
    try (DeviceArray<Point[]> array = gpu.memory().upload(b, points(3));
        DeviceArray<float[]> out = gpu.memory().allocate(a, float[].class, 2)) {
      List<DeviceArray<Point[]>> tails = List.of(array.view(1, 1), array.view(2, 1));
      try (LaunchRecorder recorder = firsts.begin()) {
        recorder.table(tails).array(out).threads(2).preflight().launch().commit();
      }
      assertThat(out.download(b)).containsExactly(1.5f, 2.5f);
    }
  }

  @Test
  void transfersOfRecordsCostTheSameDriverCallsAsThoseOfBytes() {
    try (DeviceArray<Point[]> array = gpu.memory().allocate(a, Point[].class, 100)) {
      array.upload(a, points(100));
      long copies = device.calls(DriverCall.COPY_TO_DEVICE_ASYNC);
      array.upload(a, points(100));
      assertThat(device.calls(DriverCall.COPY_TO_DEVICE_ASYNC)).isEqualTo(copies + 1);
      assertThat(gpu.memory().statistics().uploadedBytes()).isEqualTo(2 * 2400);
    }
  }
}
