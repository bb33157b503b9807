package dev.streamfence.internal.simulator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfBoundsException;
import dev.streamfence.RacyAccessException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Errors lead with the kernel that is at fault, and name its argument, with tag and length, and the
 * line of its source. The call that noticed the fault comes last.
 */
final class FaultMessagesTest {
  private static final KernelImage IMAGE =
      KernelImage.resource("kernels/faults.ptx", FaultMessagesTest.class::getResourceAsStream);

  private static final KernelSignature SHIFT =
      KernelSignature.entry("shift")
          .reads("from", float[].class)
          .writes("to", float[].class)
          .value("by", int.class)
          .shape("shape");

  private DeviceRuntime gpu;
  private DeviceStream stream;

  private void open(SimulatedDevice device) {
    // The device is to see the accesses that a launch would refuse.
    gpu = DeviceRuntime.simulated(device, RuntimeOptions.defaults().withBoundsChecks(false));
    // Not the first stream, so that no other number is right by chance.
    gpu.streams().acquire();
    stream = gpu.streams().acquire();
  }

  @AfterEach
  void close() {
    gpu.close();
  }

  private DeviceArray<int[]> ints(String tag, int... values) {
    DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, values.length, tag);
    array.upload(stream, values);
    return array;
  }

  private DeviceArray<float[]> floats(String tag, int length) {
    DeviceArray<float[]> array = gpu.memory().allocate(stream, float[].class, length, tag);
    array.fill(stream, 1);
    return array;
  }

  private static void shift(
      DeviceStream on, DeviceArray<float[]> from, DeviceArray<float[]> to, int by) {
    try (LaunchRecorder recorder = LoadedModule.of(on, IMAGE).recorder(SHIFT).begin()) {
      recorder
          .array(from)
          .array(to)
          .value(by)
          .shape(LaunchShape.of(1, 32))
          .preflight()
          .launch()
          .commit();
    }
  }

  private void launch(KernelSignature signature, List<DeviceArray<?>> arrays, int threads) {
    launch(IMAGE, signature, arrays, threads);
  }

  private void launch(
      KernelImage image, KernelSignature signature, List<DeviceArray<?>> arrays, int threads) {
    try (LaunchRecorder recorder =
        LoadedModule.of(stream, image).recorder(signature.shape("shape")).begin()) {
      arrays.forEach(recorder::array);
      recorder.shape(LaunchShape.of(1, threads)).preflight().launch().commit();
    }
  }

  private CudaDriverException noticed() {
    return catchThrowableOfType(CudaDriverException.class, stream::synchronize);
  }

  @ParameterizedTest
  @EnumSource
  void anAccessOutOfBoundsNamesTheArgumentWithTagAndLengthAndTheSource(Schedule schedule) {
    open(SimulatedDevice.builder().schedule(schedule).build());
    DeviceArray<float[]> prices = floats("prices", 32);
    DeviceArray<float[]> shifted = floats("shifted", 32);
    shift(stream, prices, shifted, 1);
    CudaDriverException lost =
        catchThrowableOfType(CudaDriverException.class, () -> shifted.download(stream));

    assertThat(lost)
        .hasMessageStartingWith(
            "kernel shift on stream 2 (ticket 5), block (0, 0, 0), thread (31, 0, 0): 4 bytes at"
                + " 0x")
        .hasMessageContaining("; the nearest argument is 'from', " + prices)
        .hasMessageContaining("float[32] in allocation")
        .hasMessageContaining("'prices' of 128 bytes")
        .hasMessageContaining(" (ld.global.f32 in line 51 of kernels/faults.ptx, faults.cu:8)")
        .hasMessageContaining("; noticed by cu")
        .hasMessageContaining(" during download of 128 bytes from allocation")
        .hasMessageEndingWith("which answered CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    assertThat(lost.getMessage()).doesNotContain("'shifted', float[32]");
    assertThat(lost.getCause())
        .isInstanceOfSatisfying(
            OutOfBoundsException.class,
            fault -> {
              assertThat(fault.kernel()).isEqualTo("shift");
              assertThat(fault.thread()).isEqualTo("block (0, 0, 0), thread (31, 0, 0)");
            });
    assertThat(catchThrowableOfType(CudaDriverException.class, stream::synchronize))
        .hasMessage(lost.getMessage() + "; this lost the device");
  }

  @ParameterizedTest
  @EnumSource
  void theFirstErrorOfAFaultIsTheOneThatLostTheDevice(Schedule schedule) {
    open(SimulatedDevice.builder().schedule(schedule).build());
    DeviceStream other = gpu.streams().acquire();
    DeviceArray<float[]> prices = floats("prices", 32);
    DeviceArray<float[]> shifted = floats("shifted", 32);
    // With two streams in use, the launch records an event, which may notice the fault.
    prices.copy(other);
    CudaDriverException lost =
        catchThrowableOfType(
            CudaDriverException.class,
            () -> {
              shift(stream, prices, shifted, 1);
              stream.synchronize();
            });

    assertThat(lost).hasCauseInstanceOf(OutOfBoundsException.class).hasNoSuppressedExceptions();
    assertThat(lost.outstanding()).isNotEmpty();
    assertThat(lost.purpose()).isNotEmpty().doesNotContain("earlier operation");
    assertThat(lost.getMessage()).doesNotContain("this lost the device");
  }

  @Test
  void anAccessInFrontOfAnArrayNamesThatArray() {
    open(SimulatedDevice.builder().build());
    DeviceArray<float[]> shifted = floats("shifted", 32);
    DeviceArray<float[]> prices = floats("prices", 32);
    shift(stream, prices, shifted, -1);
    assertThat(noticed())
        .hasMessageContaining("thread (0, 0, 0)")
        .hasMessageContaining(" begin 4 bytes before the nearest allocation, which has 128 bytes")
        .hasMessageContaining("; the nearest argument is 'from', " + prices);
  }

  @Test
  void anAccessInFrontOfTheFirstArrayNamesThatArray() {
    open(SimulatedDevice.builder().build());
    DeviceArray<float[]> prices = floats("prices", 32);
    shift(stream, prices, floats("shifted", 32), -1);
    assertThat(noticed())
        .hasMessageContaining(" begin 4 bytes before the nearest allocation, which has 128 bytes")
        .hasMessageContaining("; the nearest argument is 'from', " + prices);
  }

  @Test
  void anAccessThroughAnAbsentArrayNamesNoOther() {
    open(SimulatedDevice.builder().build());
    KernelSignature signature =
        KernelSignature.entry("shift")
            .reads("from", float[].class)
            .optional()
            .writes("to", float[].class)
            .value("by", int.class)
            .shape("shape");
    DeviceArray<float[]> shifted = floats("shifted", 32);
    try (LaunchRecorder recorder = LoadedModule.of(stream, IMAGE).recorder(signature).begin()) {
      recorder
          .array((DeviceArray<?>) null)
          .array(shifted)
          .value(0)
          .shape(LaunchShape.of(1, 32))
          .preflight()
          .launch()
          .commit();
    }
    assertThat(noticed())
        .hasMessageContaining(
            ": 4 bytes at 0x0 are in no allocation; no argument is near; an @Optional array that is"
                + " null has the address 0 (ld.global.f32");
  }

  @Test
  void anAccessThroughAnEmptyArrayNamesThatArrayAndNoNeighbour() {
    open(SimulatedDevice.builder().build());
    DeviceArray<float[]> shifted = floats("shifted", 32);
    DeviceArray<float[]> empty = gpu.memory().allocate(stream, float[].class, 0, "empty");
    shift(stream, empty, shifted, 3);
    assertThat(noticed())
        .hasMessageContaining(": 4 bytes at 0xc are in no allocation; the nearest argument is")
        .hasMessageContaining(" 'from', float[0], whose address is 0 (ld.global.f32");
    assertThat(noticed().getMessage()).doesNotContain("shifted");
  }

  @Test
  void anAccessInFrontOfAnEmptyArrayNamesThatArrayAndNoNeighbour() {
    open(SimulatedDevice.builder().build());
    DeviceArray<float[]> empty = gpu.memory().allocate(stream, float[].class, 0, "empty");
    shift(stream, empty, floats("shifted", 32), -1);
    assertThat(noticed().getMessage())
        .contains(": 4 bytes at 0xfffffffffffffffc are in no allocation; the nearest argument is")
        .contains("'from', float[0], whose address is 0")
        .doesNotContain("shifted");
  }

  @Test
  void theMessageIsTheSameWithoutARaceChecker() {
    open(SimulatedDevice.builder().checkRaces(false).build());
    DeviceArray<float[]> prices = floats("prices", 32);
    shift(stream, prices, floats("shifted", 32), 2);
    assertThat(noticed())
        .hasMessageStartingWith("kernel shift on stream 2 (ticket 5), block (0, 0, 0)")
        .hasMessageContaining("; the nearest argument is 'from', " + prices)
        .hasMessageContaining("faults.cu:8");
  }

  @Test
  void anAccessOfOtherCodeOutsideOfAViewNamesTheView() {
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    open(device);
    SimulatedLibrary library = device.library("blas");
    DeviceArray<float[]> half = floats("prices", 32).view(0, 16);
    stream.submit(
        "sum",
        uses -> uses.reads(half),
        call -> {
          long address = call.address(half);
          library.launch(call.streamHandle(), "sum", memory -> memory.getFloat(address + 64));
        });
    assertThat(noticed())
        .hasMessageStartingWith("sum of library blas in 'sum' on stream 2: 4 bytes at 0x")
        .hasMessageContaining(" are outside of " + half + ", which has 64 bytes at 0x");
  }

  @Test
  void aMisalignedAccessNamesTheArgumentsAndTheSource() {
    open(SimulatedDevice.builder().build());
    DeviceArray<byte[]> bytes = gpu.memory().allocate(stream, byte[].class, 64, "raw");
    DeviceArray<int[]> to = ints("numbers", 0);
    launch(
        KernelSignature.entry("halves").reads("from", byte[].class).writes("to", int[].class),
        List.of(bytes, to),
        1);
    CudaDriverException lost = noticed();
    assertThat(lost)
        .hasMessageContaining("kernel halves on stream 2")
        .hasMessageContaining("an access of 4 bytes that is not aligned, at address 0x")
        .hasMessageContaining(" (ld.global.u32 in line 76 of kernels/faults.ptx, faults.cu:13)")
        .hasMessageContaining("; it got 'from', " + bytes + " and 'to', " + to);
    assertThat(lost.codeName()).isEqualTo("CUDA_ERROR_MISALIGNED_ADDRESS");
  }

  @Test
  void anAccessOutsideOfSharedMemoryNamesTheArgumentsAndTheSource() {
    open(SimulatedDevice.builder().build());
    DeviceArray<int[]> values = ints("offsets", 0, 1);
    launch(KernelSignature.entry("tile").readWrites("values", int[].class), List.of(values), 32);
    assertThat(noticed())
        .hasMessageStartingWith("kernel tile on stream 2 (ticket 3), block (0, 0, 0), thread (31,")
        .hasMessageContaining("outside the 128 bytes of its block's shared memory")
        .hasMessageContaining(" (st.shared.u32 in line 219 of kernels/faults.ptx, faults.cu:34)")
        .hasMessageContaining("; it got 'values', " + values);
  }

  @Test
  void aTrapNamesTheArgumentsAndTheSource() {
    open(SimulatedDevice.builder().build());
    DeviceArray<int[]> values = ints("flags", 0);
    launch(KernelSignature.entry("trapped").reads("values", int[].class), List.of(values), 1);
    assertThat(noticed())
        .hasMessageStartingWith(
            "kernel trapped on stream 2 (ticket 3), block (0, 0, 0), thread (0, 0, 0): ")
        .hasMessageContaining(" (trap in line 105 of kernels/faults.ptx, faults.cu:18)")
        .hasMessageContaining("; it got 'values', " + values)
        .hasMessageContaining("noticed by cuStreamSynchronize during synchronizing stream 2 of");
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 17})
  void aFaultNamesSixteenArgumentsAndCountsTheOthers(int count) {
    open(SimulatedDevice.builder().build());
    String parameters =
        IntStream.range(0, count)
            .mapToObj(i -> ".param .u64 p" + i)
            .collect(Collectors.joining(", "));
    String text =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
            + ".visible .entry many("
            + parameters
            + ") { trap; }";
    KernelSignature signature = KernelSignature.entry("many");
    List<DeviceArray<?>> arrays = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      signature = signature.reads("p" + i, int[].class).trusted();
      arrays.add(ints("array", i));
    }
    launch(KernelImage.of("many.ptx", text.getBytes(US_ASCII)), signature, arrays, 1);

    String message = noticed().getMessage();
    assertThat(message).contains("'p15', ").doesNotContain("'p16', ");
    assertThat(message.contains(" and 1 more")).isEqualTo(count == 17);
    assertThat(message.contains(" more")).isEqualTo(count == 17);
  }

  @Test
  void aFailedAssertionNamesItsTextTheArgumentsAndTheSource() {
    open(SimulatedDevice.builder().build());
    DeviceArray<int[]> values = ints("limits", 3);
    launch(KernelSignature.entry("asserted").reads("values", int[].class), List.of(values), 1);
    assertThat(noticed())
        .hasMessageContaining("kernel asserted on stream 2")
        .hasMessageContaining("the assertion 'values[0] > 7'")
        .hasMessageContaining("of kernels/faults.ptx, faults.cu:23)")
        .hasMessageContaining("; it got 'values', " + values);
  }

  @Test
  void anEndlessKernelNamesTheBudgetTheArgumentsAndTheSource() {
    open(SimulatedDevice.builder().instructionsPerLaunch(100_000).build());
    DeviceArray<int[]> values = ints("flags", 0, 0);
    launch(KernelSignature.entry("endless").readWrites("values", int[].class), List.of(values), 1);
    CudaDriverException lost = noticed();
    assertThat(lost)
        .hasMessageStartingWith("kernel endless on stream 2 (ticket 3), block (0, 0, 0)")
        .hasMessageContaining("still runs after 100000 instructions")
        .hasMessageContaining("SimulatedDevice.Builder.instructionsPerLaunch sets the budget")
        .hasMessageContaining("; it got 'values', " + values);
    assertThat(lost.getMessage())
        .containsPattern("line \\d+ of kernels/faults.ptx, faults.cu:2[78]");
  }

  @Test
  void aRaceNamesBothKernelsTheirArgumentsAndTheirSource() {
    open(SimulatedDevice.builder().build());
    DeviceArray<float[]> prices = floats("prices", 64);
    DeviceArray<float[]> shifted = floats("shifted", 64);
    DeviceStream other = gpu.streams().acquire();
    stream.synchronize();
    shift(stream, prices, shifted, 0);
    long address = Inside.allocation(shifted).address();
    // An untracked use, which nothing orders after the launch on the other stream.
    try (LaunchRecorder recorder =
        LoadedModule.of(other, IMAGE).permissiveRecorder(SHIFT).begin()) {
      recorder
          .array(prices)
          .untracked(address)
          .value(0)
          .shape(LaunchShape.of(1, 32))
          .preflight()
          .launch()
          .commit();
    }
    CudaDriverException lost = noticed();
    assertThat(lost)
        .isInstanceOf(RacyAccessException.class)
        .hasMessageStartingWith(
            "shift on stream 3 (ticket 1), 'to' (st.global.f32 in line 55 of kernels/faults.ptx,"
                + " faults.cu:9) writes 128 bytes at 0x")
        .hasMessageContaining(
            ", which shift on stream 2 (ticket 5), 'to', "
                + shifted
                + " (st.global.f32 in line 55 of kernels/faults.ptx, faults.cu:9), writes as well;"
                + " nothing orders the two [WRITE_WRITE]; noticed by cuStreamSynchronize");
  }

  @Test
  void anUninitializedReadLeadsWithItsKernel() {
    open(SimulatedDevice.builder().checkUninitializedReads(true).build());
    DeviceArray<float[]> fresh = gpu.memory().allocate(stream, float[].class, 32, "fresh");
    shift(stream, fresh, floats("shifted", 32), 0);
    assertThat(noticed())
        .hasMessageStartingWith(
            "shift on stream 2 (ticket 4), 'from', "
                + fresh
                + " (ld.global.f32 in line 51 of kernels/faults.ptx, faults.cu:8), reads 128 bytes")
        .hasMessageContaining(
            ", which nothing has written since cuMemAllocAsync on stream 2 allocated them");
  }

  @Test
  void aUseAfterFreeNamesTheInstructionThatFaulted() {
    open(SimulatedDevice.builder().schedule(Schedule.LAZY).build());
    DeviceArray<float[]> prices = floats("prices", 32);
    DeviceArray<float[]> shifted = floats("shifted", 32);
    long address = Inside.allocation(prices).address();
    prices.close();
    try (LaunchRecorder recorder =
        LoadedModule.of(stream, IMAGE).permissiveRecorder(SHIFT).begin()) {
      recorder
          .untracked(address)
          .array(shifted)
          .value(0)
          .shape(LaunchShape.of(1, 32))
          .preflight()
          .launch()
          .commit();
    }
    assertThat(noticed())
        .hasMessageContaining("shift on stream 2 (ticket 6), 'from'")
        .hasMessageContaining("(ld.global.f32 in line 51 of kernels/faults.ptx, faults.cu:8)")
        .hasMessageContaining("cuMemFreeAsync on stream 2")
        .hasMessageContaining("[USE_AFTER_FREE]");
  }

  @Test
  void everyMessageNumbersAStreamLikeTheStreamItself() {
    open(SimulatedDevice.builder().checkUninitializedReads(true).build());
    assertThat(stream.id()).isEqualTo(2);
    assertThat(stream.toString()).startsWith("stream 2 of ");
    assertThat(Inside.timeline(stream)).hasToString("stream 2");
    DeviceArray<float[]> fresh = gpu.memory().allocate(stream, float[].class, 32, "fresh");
    shift(stream, fresh, floats("shifted", 32), 0);
    RacyAccessException racy = (RacyAccessException) noticed();
    assertThat(racy.first().stream()).isEqualTo(2);
    assertThat(racy.second().stream()).isEqualTo(2);
    String everything = racy.getMessage() + racy.outstanding() + racy.finding();
    assertThat(Pattern.compile("stream \\d+").matcher(everything).results().map(MatchResult::group))
        .isNotEmpty()
        .containsOnly("stream 2");
  }

  @Test
  void theDefaultStreamIsNumberZeroInFindingsAsWell() {
    open(SimulatedDevice.builder().checkUninitializedReads(true).build());
    stream = gpu.streams().defaultStream();
    DeviceArray<float[]> fresh = gpu.memory().allocate(stream, float[].class, 32, "fresh");
    shift(stream, fresh, floats("shifted", 32), 0);
    RacyAccessException racy = (RacyAccessException) noticed();
    assertThat(racy.second().stream()).isZero();
    assertThat(racy).hasMessageStartingWith("shift on stream 0 (ticket 4)");
  }
}
