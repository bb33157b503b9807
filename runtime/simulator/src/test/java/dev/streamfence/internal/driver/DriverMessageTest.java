package dev.streamfence.internal.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of an error's words: the culprit as far as it is known, then the call. */
final class DriverMessageTest {
  private static CudaDriverException error(int code, Throwable cause) {
    return new CudaDriverException("cuEventSynchronize", code, "CUDA_ERROR_X", "", cause)
        .during("download of 4 bytes");
  }

  @Test
  void aCallThatFailsByItselfLeads() {
    assertThat(error(1, null))
        .hasMessage("cuEventSynchronize answered CUDA_ERROR_X (1) during download of 4 bytes");
    assertThat(error(1, null).withOutstanding(List.of("a launch")))
        .hasMessage(
            "cuEventSynchronize answered CUDA_ERROR_X (1) during download of 4 bytes; not known to"
                + " be done: a launch");
  }

  @Test
  void aKnownCulpritLeads() {
    assertThat(error(719, new DeviceException("kernel k traps")))
        .hasMessage(
            "kernel k traps; noticed by cuEventSynchronize during download of 4 bytes, which"
                + " answered CUDA_ERROR_X (719)");
  }

  @Test
  void theOnlyUnfinishedWorkIsTheCulprit() {
    assertThat(error(700, null).withOutstanding(List.of("k on stream 1 (ticket 3)")))
        .hasMessage(
            "k on stream 1 (ticket 3) failed with CUDA_ERROR_X (700); noticed by"
                + " cuEventSynchronize during download of 4 bytes");
  }

  @Test
  void allUnfinishedWorkLeadsIfTheCulpritIsUnknown() {
    assertThat(error(700, null).withOutstanding(List.of("k on stream 1", "j on stream 2")))
        .hasMessage(
            "one of these failed with CUDA_ERROR_X (700): k on stream 1, j on stream 2; noticed by"
                + " cuEventSynchronize during download of 4 bytes");
  }

  @Test
  void whatLostTheDeviceLeadsInEveryLaterError() {
    StickyError sticky = new StickyError();
    CudaDriverException first = sticky.keep(error(719, new DeviceException("kernel k traps")));
    try {
      sticky.check();
    } catch (CudaDriverException later) {
      assertThat(later).hasMessage(first.getMessage() + "; this lost the device").hasCause(first);
      return;
    }
    assertThat(sticky.error()).as("the device is lost").isNull();
  }
}
