package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.RacyAccessException;
import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Writes to a pinned array through a buffer that its access has left behind. */
final class KeptBufferTest {
  private static final int N = 16;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceArray<int[]> array = gpu.memory().allocateZeroed(a, int[].class, N);
  private final PinnedArray<int[]> host = gpu.memory().pinned(int[].class, N);

  @AfterEach
  void close() {
    gpu.close();
  }

  /** The mistake: the buffer outlives the access. */
  private ByteBuffer kept() {
    AtomicReference<ByteBuffer> kept = new AtomicReference<>();
    host.write(kept::set);
    return kept.get();
  }

  private Finding finding() {
    assertThat(device.findings()).hasSize(1);
    return device.findings().get(0);
  }

  @Test
  void aWriteBetweenQueueingAndRunningOfAnUploadIsFound() {
    device.collectFindings();
    ByteBuffer kept = kept();
    array.upload(a, host);
    kept.putInt(8, 1).putInt(12, 1);
    a.synchronize();
    Finding finding = finding();
    assertThat(finding.kind()).isEqualTo(Kind.UNORDERED_HOST_WRITE);
    assertThat(finding.first().what()).isEqualTo("the host");
    assertThat(finding.first().argument()).isEqualTo("bytes 8 to 12 of pinned int[16]");
    assertThat(finding.second().what()).isEqualTo("cuMemcpyHtoDAsync on stream 1");
    assertThat(finding.second().parameter()).isEqualTo("source");
    assertThat(finding.bytes()).isEqualTo(5);
    assertThat(finding.toString())
        .startsWith("cuMemcpyHtoDAsync")
        .contains(" uses 5 bytes at 0x")
        .contains(", to which the host wrote outside of every access, after the host")
        .contains("bytes 8 to 12 of pinned int[16]")
        .endsWith("[UNORDERED_HOST_WRITE]");
  }

  @Test
  void aWriteBetweenTheEndOfADownloadAndTheNextAccessIsFound() {
    device.collectFindings();
    ByteBuffer kept = kept();
    array.download(a, host);
    a.synchronize();
    kept.putInt(0, 1);
    assertThat(host.get(0, 1)).containsExactly(1);
    Finding finding = finding();
    assertThat(finding.kind()).isEqualTo(Kind.UNORDERED_HOST_WRITE);
    assertThat(finding.first().what()).isEqualTo("cuMemcpyDtoHAsync on stream 1");
    assertThat(finding.second().what()).isEqualTo("the host");
    // It is told once.
    host.get(0, 1);
    assertThat(device.findings()).hasSize(1);
  }

  @Test
  void aWriteBetweenTwoAccessesIsFound() {
    device.collectFindings();
    kept().put(3, (byte) 1);
    host.write(bytes -> {});
    assertThat(finding().first().argument()).isEqualTo("bytes 3 to 3 of pinned int[16]");
  }

  @Test
  void aWriteBesideALaunchOnTheMappedArrayIsFound() {
    device.collectFindings();
    ByteBuffer kept = kept();
    DeviceArray<int[]> mapped = host.mapped();
    VectorKernels.on(a).increment(mapped, N);
    kept.putInt(4, 7);
    a.synchronize();
    Finding finding = finding();
    assertThat(finding.kind()).isEqualTo(Kind.UNORDERED_HOST_WRITE);
    assertThat(finding.second().what()).startsWith("increment on stream 1");
    assertThat(finding.second().parameter()).isEqualTo("values");
    kept.putInt(4, 0);
    host.get(0, 1);
    assertThat(device.findings()).hasSize(2);
  }

  @Test
  void unlessFindingsAreCollectedItEndsTheDevice() {
    ByteBuffer kept = kept();
    array.upload(a, host);
    kept.putInt(8, 1);
    assertThatThrownBy(a::synchronize).isInstanceOf(RacyAccessException.class);
  }

  @Test
  void copiesOfOtherBytesDoNotNoticeIt() {
    device.collectFindings();
    kept().putInt(0, 1);
    array.upload(a, 0, host, 4, 4);
    a.synchronize();
    assertThat(device.findings()).isEmpty();
    array.upload(a, 0, host, 0, 1);
    a.synchronize();
    assertThat(device.findings()).hasSize(1);
  }

  @Test
  void orderedAccessesAreNoFindings() {
    DeviceArray<int[]> mapped = host.mapped();
    for (int round = 0; round < 3; round++) {
      host.put(0, new int[] {round, 2, 3});
      array.upload(a, host);
      VectorKernels.on(a).increment(array, N);
      VectorKernels.on(a).increment(mapped, N);
      array.download(a, 0, host, 3, 1);
      mapped.fill(a, 5, 1, 9);
      assertThat(host.get(0, 6)).containsExactly(round + 1, 3, 4, round + 1, 1, 9);
      host.put(0, new int[N]);
      assertThat(host.get(0, N)).containsOnly(0);
    }
    assertThat(device.findings()).isEmpty();
  }
}
