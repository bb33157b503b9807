package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Forces the use after free that this project prevents: a gate holds a reader on one stream back
 * while its array is freed, and while the address is allocated again and overwritten on another
 * stream.
 */
@Tag("gpu")
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class UseAfterFreeOnAGpuTest {
  private static final int ROUNDS = (int) Load.of(1000);
  private static final int N = 4096;
  private static final int MINE = 0xCD;
  private static final int TRAMPLED = 0xBB;

  private static final KernelImage IMAGE =
      KernelImage.resource("kernels/gate.ptx", UseAfterFreeOnAGpuTest.class::getResourceAsStream);

  private static final KernelSignature COPY =
      KernelSignature.entry("copyInts")
          .reads("source", int[].class)
          .writes("target", int[].class)
          .threads("n", int.class, 256);

  private DeviceRuntime gpu;
  private Gate gate;
  private DeviceStream owner;
  private DeviceStream reader;

  @BeforeEach
  void openDevice() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    open(RuntimeOptions.defaults());
  }

  private void open(RuntimeOptions options) {
    gpu = DeviceRuntime.open(0, options);
    gate = new Gate(gpu);
    owner = gpu.streams().acquire();
    reader = gpu.streams().acquire();
  }

  @AfterEach
  void closeDevice() {
    if (gpu != null) {
      gate.close();
      gpu.close();
    }
  }

  /** What happened in all rounds. */
  private record Outcome(int reused, int corrupted) {}

  @Test
  @Tag("races-on-purpose")
  void anUntrackedReaderSeesWhatTheNextOwnerWrote() {
    Outcome outcome = run(false);
    assertThat(outcome.reused()).isPositive();
    assertThat(outcome.corrupted()).isPositive();
  }

  @Test
  void aTrackedReaderNeverSeesWhatTheNextOwnerWrote() {
    Outcome outcome = run(true);
    assertThat(outcome.reused()).isPositive();
    assertThat(outcome.corrupted()).isZero();
  }

  @Test
  void aReaderOfAPoolNeverSeesWhatTheNextOwnerOnAnotherStreamWrote() {
    closeDevice();
    open(RuntimeOptions.defaults().withMemoryResource(driver -> new BlockPool(driver, 1 << 20)));
    Outcome outcome = run(true, owner);
    assertThat(outcome.reused()).isEqualTo(ROUNDS);
    assertThat(outcome.corrupted()).isZero();
  }

  private Outcome run(boolean tracked) {
    // The address comes back on the stream of the free: the owner's, unless another stream used
    // the array later.
    return run(tracked, tracked ? reader : owner);
  }

  private Outcome run(boolean tracked, DeviceStream next) {
    LaunchRecorder copy = LoadedModule.of(reader, IMAGE).permissiveRecorder(COPY);
    int reused = 0;
    int corrupted = 0;
    try (DeviceArray<int[]> seen = gpu.memory().allocateZeroed(reader, int[].class, N)) {
      for (int round = 0; round < ROUNDS; round++) {
        DeviceArray<int[]> mine = gpu.memory().allocate(owner, int[].class, N);
        mine.fill(owner, MINE);
        owner.synchronize();
        long address = address(mine);
        gate.holdBack(reader);
        try (LaunchRecorder recorder = copy.begin()) {
          if (tracked) {
            recorder.array(mine);
          } else {
            recorder.untracked(address);
          }
          recorder.array(seen).threads(N).preflight().launch().commit();
        }
        mine.close();
        try (DeviceArray<int[]> trampler = gpu.memory().allocate(next, int[].class, N)) {
          reused += address(trampler) == address ? 1 : 0;
          trampler.fill(next, TRAMPLED);
          if (!tracked) {
            owner.synchronize();
          }
          gate.open();
          corrupted += seen.download(reader)[N - 1] == MINE ? 0 : 1;
        }
      }
    }
    System.out.printf(
        "%s reader: %d rounds, %d with the address used again, %d corrupted%n",
        tracked ? "tracked" : "untracked", ROUNDS, reused, corrupted);
    return new Outcome(reused, corrupted);
  }

  private static long address(DeviceArray<?> array) {
    Allocation allocation = Inside.allocation(array);
    return allocation.address();
  }
}
