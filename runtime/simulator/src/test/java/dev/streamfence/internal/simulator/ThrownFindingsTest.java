package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.Download;
import dev.streamfence.RacyAccessException;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** A finding is thrown as itself by whatever notices it first, and by everything later. */
final class ThrownFindingsTest {
  private static final int N = 4;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final SimulatedLibrary library = device.library("blas");
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceArray<int[]> values = gpu.memory().upload(stream, new int[N]);

  /** The library writes to what it declares as only read. */
  private Completion race() {
    return stream.submit(
        "set",
        uses -> uses.reads(values),
        call -> {
          long address = call.address(values);
          library.launch(call.streamHandle(), "set", memory -> memory.putInt(address, 1));
        });
  }

  private static void assertNoticedBy(String call, String during, RacyAccessException e) {
    assertThat(e.call()).isEqualTo(call);
    assertThat(e.kind()).isEqualTo(Kind.UNDECLARED_WRITE);
    assertThat(e)
        .hasMessageStartingWith(e.finding().toString() + "; noticed by " + call)
        .hasMessageContaining(during)
        .hasMessageEndingWith("which answered CUDA_ERROR_LAUNCH_FAILED (719)");
  }

  @Test
  void theWaitOfAStreamThrowsIt() {
    race();
    assertNoticedBy(
        "cuStreamSynchronize",
        "synchronizing stream",
        assertThrows(RacyAccessException.class, stream::synchronize));
  }

  @Test
  void itSaysTheSameAfterSerialization() throws Exception {
    race();
    RacyAccessException thrown = assertThrows(RacyAccessException.class, stream::synchronize);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(thrown);
    }
    RacyAccessException read;
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      read = (RacyAccessException) in.readObject();
    }
    assertThat(read).hasMessage(thrown.getMessage());
    assertThat(read.finding()).hasToString(thrown.finding().toString());
  }

  @Test
  void theWaitForTheRuntimeThrowsIt() {
    race();
    assertNoticedBy(
        "cuStreamSynchronize",
        "synchronizing simulated device",
        assertThrows(RacyAccessException.class, gpu::synchronize));
  }

  @Test
  void aDownloadThrowsIt() {
    race();
    assertNoticedBy(
        "cuEventSynchronize",
        "download of 16 bytes",
        assertThrows(RacyAccessException.class, () -> values.download(stream)));
  }

  @Test
  void theCloseThrowsIt() {
    race();
    assertNoticedBy(
        "cuStreamSynchronize", "closing", assertThrows(RacyAccessException.class, gpu::close));
    assertThat(gpu.isOpen()).isFalse();
  }

  @Test
  void theCloseWithATimeoutThrowsIt() {
    race();
    RacyAccessException found =
        assertThrows(RacyAccessException.class, () -> gpu.close(Duration.ofMinutes(1)));
    assertThat(found.kind()).isEqualTo(Kind.UNDECLARED_WRITE);
    assertThat(gpu.isOpen()).isFalse();
  }

  @Test
  void everythingLaterThrowsItAgain() throws Exception {
    Completion completion = race();
    Download<int[]> download = values.downloadLater(stream);
    RacyAccessException first = assertThrows(RacyAccessException.class, stream::synchronize);
    RacyAccessException later = assertThrows(RacyAccessException.class, stream::synchronize);
    assertThat(later.finding()).isEqualTo(first.finding());
    assertThat(later).hasMessage(first.getMessage() + "; this lost the device");
    assertThrows(RacyAccessException.class, () -> values.download(stream));
    assertThrows(RacyAccessException.class, () -> values.fill(stream, 1));
    assertThrows(RacyAccessException.class, download::value);
    assertThrows(RacyAccessException.class, completion::await);
    assertThatThrownBy(() -> completion.stage().toCompletableFuture().join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(RacyAccessException.class);
    assertThrows(RacyAccessException.class, () -> VectorKernels.on(stream).increment(values, N));
    assertThrows(RacyAccessException.class, () -> gpu.streams().acquire());
    assertThrows(RacyAccessException.class, gpu::synchronize);
    assertThrows(RacyAccessException.class, library::createStream);
    gpu.close();
  }

  @Test
  void aStageThatFailsWithItCarriesIt() throws Exception {
    Completion completion = race();
    CompletionException failure =
        catchThrowableOfType(
            CompletionException.class, () -> completion.stage().toCompletableFuture().join());
    assertThat(failure).hasCauseInstanceOf(RacyAccessException.class);
  }
}
