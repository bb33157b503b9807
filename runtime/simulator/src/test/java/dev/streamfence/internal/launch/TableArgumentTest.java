package dev.streamfence.internal.launch;

import static dev.streamfence.internal.launch.Refusals.assertRefused;
import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.launch.DeviceValues;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Kernels that take tables of arrays, and structures with arrays. */
final class TableArgumentTest extends OneStream {
  private static final int N = 5;

  private final TableKernels tables = TableKernels.on(stream);

  private List<DeviceArray<int[]>> ints(int columns) {
    List<DeviceArray<int[]>> all = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      int[] values = new int[N];
      Arrays.fill(values, 10 * i);
      all.add(gpu.memory().upload(stream, values));
    }
    return all;
  }

  private List<DeviceArray<float[]>> floats(int columns) {
    List<DeviceArray<float[]>> all = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      all.add(gpu.memory().upload(stream, new float[] {i, i + 0.5f, 2 * i, 3 * i, 4 * i}));
    }
    return all;
  }

  private static void close(List<? extends DeviceArray<?>> arrays) {
    arrays.forEach(DeviceArray::close);
  }

  private long copies() {
    return device.calls(DriverCall.COPY_TO_DEVICE_ASYNC);
  }

  @Test
  void anObjectStandsForItsArrayAndATableForItsArrays() {
    LaunchRecorder bump = LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP);
    LaunchRecorder increment =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    DeviceArray<int[]> first = gpu.memory().upload(stream, new int[] {1});
    DeviceArray<int[]> second = gpu.memory().upload(stream, new int[] {2});
    try (LaunchRecorder open = bump.begin()) {
      open.table(() -> List.<DeviceValues>of(first, () -> second)).value(2).threads(1);
      open.preflight().launch().commit();
    }
    try (LaunchRecorder open = increment.begin()) {
      open.array(() -> first).threads(1).preflight().launch().commit();
    }
    assertThat(first.download(stream)).containsExactly(3);
    assertThat(second.download(stream)).containsExactly(3);
    close(List.of(first, second));
  }

  @Test
  void aShorterTableUsesNothingOfTheLongerOneBefore() {
    LaunchRecorder bump = LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP);
    DeviceArray<int[]> first = gpu.memory().upload(stream, new int[] {1});
    DeviceArray<int[]> second = gpu.memory().upload(stream, new int[] {2});
    for (int round = 0; round < 2; round++) {
      try (LaunchRecorder open = bump.begin()) {
        open.table(List.of(first, second)).value(2).threads(1).preflight().launch().commit();
      }
    }
    second.close();
    try (LaunchRecorder open = bump.begin()) {
      open.table(List.of(first)).value(1).threads(1).preflight().launch().commit();
    }
    assertThat(first.download(stream)).containsExactly(4);
    first.close();
  }

  @Test
  void anObjectWithoutArraysIsRefusedByName() {
    LaunchRecorder bump = LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP);
    try (LaunchRecorder open = bump.begin()) {
      assertThatThrownBy(() -> open.table((DeviceValues.Table) () -> noList()))
          .isInstanceOfSatisfying(
              KernelArgumentException.class, e -> assertThat(e.parameter()).isEqualTo("columns"));
    }
  }

  @SuppressWarnings("NullAway") // The code of a user may do what it must not.
  private static List<DeviceValues> noList() {
    return null;
  }

  /** It runs while the recorder is at its parameter. */
  @Test
  void anObjectThatPassesArgumentsWhenAskedForItsArrayIsRefused() {
    LaunchRecorder bump = LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP);
    DeviceArray<int[]> array = gpu.memory().upload(stream, new int[] {1});
    try (LaunchRecorder open = bump.begin()) {
      DeviceValues disturbing =
          () -> {
            open.table(List.<DeviceValues>of(array));
            return array;
          };
      assertThatThrownBy(() -> open.table(List.of(disturbing)))
          .isInstanceOf(StreamMisuseException.class);
      open.table(List.<DeviceValues>of(array)).value(1).threads(1);
      open.preflight().launch().commit();
    }
    assertThat(array.download(stream)).containsExactly(2);
    array.close();
  }

  @Test
  void aKernelReadsAndWritesAnyNumberOfColumns() {
    for (int columns : new int[] {1, 2, 3, 7, 64}) {
      List<DeviceArray<float[]>> from = floats(columns);
      List<DeviceArray<float[]>> to = floats(columns);
      DeviceArray<int[]> rows = gpu.memory().upload(stream, new int[] {4, 0, 1});
      tables.take(from, rows, to, 3);
      for (int i = 0; i < columns; i++) {
        assertThat(to.get(i).download(stream)).containsExactly(4 * i, i, i + 0.5f, 3 * i, 4 * i);
      }
      close(from);
      close(to);
      rows.close();
    }
  }

  @Test
  void aTableHoldsArraysOfAnyElementsAndAnEmptyOneIsANullPointer() {
    DeviceArray<?>[] columns = {
      gpu.memory().upload(stream, new double[] {0}),
      gpu.memory().upload(stream, new byte[] {7}),
      gpu.memory().upload(stream, new long[] {300}),
      gpu.memory().allocate(stream, int[].class, 0)
    };
    DeviceArray<long[]> sums = gpu.memory().allocate(stream, long[].class, 4);
    tables.firstBytes(columns, sums);
    assertThat(sums.download(stream)).containsExactly(0, 7, 300 & 0xff, -1);
    close(Arrays.asList(columns));
    sums.close();
  }

  @Test
  void aStructureHoldsArraysAndNumbers() {
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1, -1, 3, 4});
    DeviceArray<byte[]> validity = gpu.memory().upload(stream, new byte[] {1, 1, 0, 1});
    DeviceArray<int[]> selected = gpu.memory().allocate(stream, int[].class, 4);
    tables.valid(values, validity, 3, selected, 4);
    assertThat(selected.download(stream)).containsExactly(1, 0, 0, 0);
    close(List.of(values, validity, selected));
  }

  @Test
  void aStructureHoldsATable() {
    List<DeviceArray<float[]>> columns = floats(3);
    tables.scaleAll(2f, columns, N);
    assertThat(columns.get(2).download(stream)).containsExactly(4, 5, 8, 12, 16);
    close(columns);
  }

  @Test
  void aTableWithoutArraysIsANullPointer() {
    long before = copies();
    tables.bump(List.of(), N);
    stream.synchronize();
    assertThat(copies()).isEqualTo(before);
  }

  @Test
  void tenThousandColumnsAreATable() {
    DeviceArray<int[]> all = gpu.memory().allocateZeroed(stream, int[].class, 10_000);
    List<DeviceArray<int[]>> columns =
        IntStream.range(0, 10_000).mapToObj(i -> all.view(9_999 - i, 1)).toList();
    tables.bump(columns, 1);
    tables.bump(new LinkedList<>(columns), 1);
    assertThat(all.download(stream)).containsOnly(2);
    all.close();
  }

  @Test
  void eachArrayOfATableIsOrderedWithItsOtherUses() {
    List<DeviceArray<int[]>> columns = ints(3);
    try (DeviceStream other = gpu.streams().acquire()) {
      TableKernels.on(other).bump(columns, N);
      VectorKernels.on(other).increment(columns.get(1), N);
      tables.bump(columns, N);
      VectorKernels.on(other).increment(columns.get(2), N);
      assertThat(columns.get(0).download(stream)).containsOnly(2);
      assertThat(columns.get(1).download(stream)).containsOnly(13);
      assertThat(columns.get(2).download(stream)).containsOnly(23);
    }
    assertThat(device.findings()).isEmpty();
    close(columns);
  }

  @Test
  void aTableThatTheStreamHasSeenIsNotCopiedAgain() {
    List<DeviceArray<int[]>> some = ints(16);
    List<DeviceArray<int[]>> others = ints(16);
    tables.bump(some, N);
    tables.bump(others, N);
    long before = copies();
    for (int i = 0; i < 10; i++) {
      tables.bump(some, N);
      tables.bump(new ArrayList<>(others), N);
    }
    assertThat(copies()).isEqualTo(before);
    Collections.reverse(some);
    tables.bump(some, N);
    assertThat(copies()).isEqualTo(before + 1);
    assertThat(some.get(0).download(stream)).containsOnly(162);
    close(some);
    close(others);
  }

  @Test
  void twoTablesOfOneLaunchAreOneCopy() {
    List<DeviceArray<float[]>> from = floats(3);
    List<DeviceArray<float[]>> to = floats(3);
    DeviceArray<int[]> rows = gpu.memory().upload(stream, new int[] {1});
    long before = copies();
    tables.take(from, rows, to, 1);
    assertThat(copies()).isEqualTo(before + 1);
    close(from);
    close(to);
    rows.close();
  }

  @Test
  void aTableIsNotCopiedForAnEmptyGrid() {
    List<DeviceArray<int[]>> columns = ints(2);
    long before = copies();
    tables.bump(columns, 0);
    assertThat(copies()).isEqualTo(before);
    close(columns);
  }

  @Test
  void aNullArrayIsRefusedByItsIndex() {
    List<DeviceArray<int[]>> columns = new ArrayList<>(ints(2));
    columns.add(null);
    assertRefused(
        () -> tables.bump(columns, N), KernelArgumentException.Mistake.NULL, "bump", "columns[2]");
    close(columns.subList(0, 2));
    assertRefused(
        () -> tables.firstBytes(null, null),
        KernelArgumentException.Mistake.NULL,
        "firstBytes",
        "columns");
  }

  @Test
  void aClosedArrayIsRefusedByItsIndexAndNothingIsQueued() {
    List<DeviceArray<int[]>> columns = ints(3);
    tables.bump(List.of(columns.get(0)), N);
    columns.get(1).close();
    stream.synchronize();
    long before = device.calls();
    assertRefused(
        () -> tables.bump(columns, N), UseAfterFreeException.Ending.CLOSED, "bump", "columns[1]");
    assertThat(device.calls()).isEqualTo(before);
    assertThat(columns.get(0).download(stream)).containsOnly(1);
    close(columns);
  }

  @Test
  void anArrayOfAnotherRuntimeIsRefusedByItsIndex() {
    List<DeviceArray<int[]>> columns = new ArrayList<>(ints(1));
    try (DeviceRuntime elsewhere = DeviceRuntime.simulated()) {
      columns.add(elsewhere.memory().upload(elsewhere.streams().acquire(), new int[N]));
      assertThatThrownBy(() -> tables.bump(columns, N))
          .satisfies(misuse(Misuse.OTHER_RUNTIME, "bump", "columns[1]"));
      columns.get(1).close();
    }
    columns.get(0).close();
  }

  @Test
  void anArrayOfOtherElementsIsRefusedByItsIndex() {
    DeviceArray<int[]> good = gpu.memory().upload(stream, new int[N]);
    DeviceArray<float[]> bad = gpu.memory().upload(stream, new float[N]);
    assertThatThrownBy(() -> tables.bump(List.of(good, bad), N))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bump: parameter 'columns[1]' is ")
        .hasMessageContaining("the kernel takes an array of int");
    close(List.of(good, bad));
  }

  @Test
  void oneArrayTwiceInAWrittenTableIsRefusedByBothIndexes() {
    List<DeviceArray<int[]>> columns = ints(2);
    assertThatThrownBy(
            () -> tables.bump(List.of(columns.get(0), columns.get(1), columns.get(0)), N))
        .isInstanceOf(StreamMisuseException.class)
        .hasMessage(
            "bump: parameter 'columns[2]' is the same array as parameter 'columns[0]', and one of"
                + " them is written; pass two arrays, or declare @Kernel(mayAlias = true)");
    close(columns);
  }

  @Test
  void overlappingViewsInAWrittenTableAreRefusedHoweverManyThereAre() {
    DeviceArray<int[]> all = gpu.memory().allocateZeroed(stream, int[].class, 1_000);
    for (int columns : new int[] {10, 500}) {
      List<DeviceArray<int[]>> views = new ArrayList<>();
      for (int i = 0; i < columns; i++) {
        views.add(all.view(2 * (columns - 1 - i), 2));
      }
      tables.bump(views, 2);
      views.set(3, all.view(2 * (columns - 1 - 3), 3));
      assertThatThrownBy(() -> tables.bump(views, 2)).satisfies(misuse(Misuse.ALIAS));
    }
    all.close();
  }

  /** Elements of one of the arrays that tables have views of. */
  private record Piece(int array, int from, int count) {
    boolean overlaps(Piece other) {
      return array == other.array && from < other.from + other.count && other.from < from + count;
    }
  }

  private static final int PIECES = 70;
  private static final int SLOT = 40;

  /** Pieces that lie apart, of which some are then moved or made longer by a little. */
  private static List<Piece> pieces(Random random) {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i < 2 * PIECES; i++) {
      int from = random.nextInt(SLOT);
      int slot = i / 2;
      pieces.add(new Piece(i % 2, slot * SLOT + from, random.nextInt(SLOT - from + 1)));
    }
    for (int moved = random.nextInt(3); moved > 0; moved--) {
      int i = random.nextInt(pieces.size());
      Piece was = pieces.get(i);
      int from = Math.max(0, was.from - random.nextInt(SLOT));
      int end = Math.min(PIECES * SLOT, was.from + was.count + random.nextInt(SLOT));
      pieces.set(i, new Piece(was.array, from, end - from));
    }
    Collections.shuffle(pieces, random);
    return pieces;
  }

  private static boolean isAllowed(List<Piece> read, List<Piece> written) {
    for (int i = 0; i < written.size(); i++) {
      Piece one = written.get(i);
      boolean isEmpty = one.count == 0;
      List<Piece> others = new ArrayList<>(read);
      others.addAll(written.subList(i + 1, written.size()));
      if (!isEmpty && others.stream().anyMatch(other -> other.count > 0 && one.overlaps(other))) {
        return false;
      }
    }
    return true;
  }

  @Test
  void amongManyViewsExactlyThoseThatOverlapAWrittenOneAreRefused() {
    List<DeviceArray<float[]>> arrays =
        List.of(
            gpu.memory().allocate(stream, float[].class, PIECES * SLOT),
            gpu.memory().allocate(stream, float[].class, PIECES * SLOT));
    DeviceArray<int[]> rows = gpu.memory().allocate(stream, int[].class, 1);
    int refused = 0;
    for (int seed = 0; seed < 300; seed++) {
      List<Piece> pieces = pieces(new Random(seed));
      List<DeviceArray<float[]>> views =
          pieces.stream()
              .map(piece -> arrays.get(piece.array).view(piece.from, piece.count))
              .toList();
      boolean allowed = true;
      try {
        tables.take(views.subList(0, PIECES), rows, views.subList(PIECES, 2 * PIECES), 0);
      } catch (StreamMisuseException e) {
        allowed = false;
        refused++;
      }
      assertThat(allowed)
          .as("seed %d", seed)
          .isEqualTo(isAllowed(pieces.subList(0, PIECES), pieces.subList(PIECES, 2 * PIECES)));
    }
    assertThat(refused).isBetween(50, 250);
    close(arrays);
    rows.close();
  }

  @Test
  void oneArrayTwiceInATableThatIsOnlyReadIsPassedTwice() {
    DeviceArray<byte[]> bytes = gpu.memory().upload(stream, new byte[] {3});
    DeviceArray<long[]> sums = gpu.memory().allocate(stream, long[].class, 2);
    tables.firstBytes(new DeviceArray<?>[] {bytes, bytes}, sums);
    assertThat(sums.download(stream)).containsExactly(3, 3);
    close(List.of(bytes, sums));
  }

  @Test
  void anArrayInATableAndBesideItIsRefusedIfOneIsWritten() {
    DeviceArray<long[]> sums = gpu.memory().allocate(stream, long[].class, 2);
    assertThatThrownBy(() -> tables.firstBytes(new DeviceArray<?>[] {sums}, sums))
        .satisfies(misuse(Misuse.ALIAS));
    sums.close();
  }

  @Test
  void partsAreTrackedApartInATable() {
    DeviceArray<int[]> all = gpu.memory().allocateZeroed(stream, int[].class, 10);
    try (DeviceParts<int[]> halves = all.split(5)) {
      tables.bump(List.of(halves.get(0), halves.get(1)), N);
      DeviceArray<long[]> sums = gpu.memory().allocate(stream, long[].class, 1);
      assertThatThrownBy(() -> tables.firstBytes(new DeviceArray<?>[] {all}, sums))
          .satisfies(misuse(Misuse.SPLIT, "firstBytes", "columns[0]"));
      sums.close();
    }
    assertThat(all.download(stream)).containsOnly(1);
    all.close();
  }

  @Test
  void aTableThatIsRefusedLeavesItsTurn() {
    List<DeviceArray<int[]>> columns = ints(2);
    LaunchRecorder bump = LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP);
    try (LaunchRecorder open = bump.begin()) {
      assertThatThrownBy(() -> open.table(Arrays.asList(columns.get(0), null)))
          .isInstanceOf(IllegalArgumentException.class);
      open.table(columns).value(2).threads(N).preflight().launch().commit();
    }
    assertThat(columns.get(0).download(stream)).containsOnly(1);
    assertThat(columns.get(1).download(stream)).containsOnly(11);
    close(columns);
  }

  @Test
  void anArrayOfARefusedTableIsNoUseOfTheLaunch() {
    List<DeviceArray<int[]>> columns = ints(2);
    LaunchRecorder bump = LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP);
    columns.get(0).download(stream);
    int before = Inside.allocation(columns.get(0)).hazards().size();
    try (LaunchRecorder open = bump.begin()) {
      assertThatThrownBy(() -> open.table(Arrays.asList(columns.get(0), null)))
          .isInstanceOf(IllegalArgumentException.class);
      open.table(columns.subList(1, 2)).value(1).threads(N).preflight().launch().commit();
      assertThat(open.recordedUses()).isOne();
    }
    assertThat(Inside.allocation(columns.get(0)).hazards().size()).isEqualTo(before);
    close(columns);
  }

  /** The memory of the tables does not come from the pool, which has all of the device. */
  @Test
  void aTableHasRoomOnADeviceThatIsFullOfUnusedMemory() {
    SimulatedDevice small =
        SimulatedDevice.builder().schedule(Schedule.LAZY).memoryInBytes(64 << 20).build();
    RuntimeOptions options =
        RuntimeOptions.defaults()
            .withCachingPool(true)
            .withMemoryBudget(MemoryBudget.ofBytes(64 << 20));
    try (DeviceRuntime runtime = DeviceRuntime.simulated(small, options);
        DeviceStream first = runtime.streams().acquire();
        DeviceStream second = runtime.streams().acquire();
        DeviceArray<int[]> ones = runtime.memory().upload(first, new int[] {1})) {
      try (DeviceArray<byte[]> most = runtime.memory().allocate(second, byte[].class, 62 << 20)) {
        most.fill(second, (byte) 1);
      }
      assertThat(runtime.memory().pool().orElseThrow().heldBytes()).isEqualTo(64 << 20);
      TableKernels.on(first).bump(List.of(ones), 1);
      assertThat(ones.download(first)).containsExactly(2);
    }
    assertThat(small.findings()).isEmpty();
    assertThat(small.liveObjects()).isZero();
  }

  @Test
  void aCopyOfATableThatTheDriverRefusesFailsTheLaunchAndLeavesTheNextOne() {
    List<DeviceArray<int[]>> columns = ints(2);
    device.failCall(DriverCall.COPY_TO_DEVICE_ASYNC, 1, 999);
    assertThatThrownBy(() -> tables.bump(columns, N))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("writing the tables of bump on stream 1");
    tables.bump(columns, N);
    assertThat(columns.get(0).download(stream)).containsOnly(1);
    close(columns);
  }

  @Test
  void aKernelThatLeavesAnArrayOfATableIsFound() {
    List<DeviceArray<int[]>> columns = ints(2);
    tables.bump(columns, N + 1);
    assertThatThrownBy(stream::synchronize).hasMessageContaining("bump");
    gpu.close();
  }

  @Test
  void aTableOf32ViewsUsesNothingOfALongerOneBefore() {
    LaunchRecorder bump = LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP);
    DeviceArray<int[]> first = gpu.memory().upload(stream, new int[32]);
    DeviceArray<int[]> second = gpu.memory().upload(stream, new int[8]);
    List<DeviceValues> views = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      views.add(first.view(i, 1));
    }
    for (int i = 0; i < 8; i++) {
      views.add(second.view(i, 1));
    }
    bumpAll(bump, views);
    second.close();
    bumpAll(bump, views.subList(0, 32));
    assertThat(first.download(stream)).containsOnly(2);
    first.close();
  }

  private static void bumpAll(LaunchRecorder bump, List<DeviceValues> views) {
    try (LaunchRecorder open = bump.begin()) {
      open.table(views).value(views.size()).threads(1);
      open.preflight();
      open.launch();
      open.commit();
    }
  }
}
