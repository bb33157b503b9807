package dev.streamfence.internal.device;

import static dev.streamfence.internal.device.TwoDevices.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.simulation.DriverCall;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the first copy from one device to another asks of the driver, and what it logs. */
final class PeerAccessTest {
  private static final Logger LOGGER = Logger.getLogger("dev.streamfence.devices");
  private static final int INVALID_VALUE = 1;
  private static final int ALREADY_ENABLED = 704;

  private final List<String> logged = new ArrayList<>();
  private final List<Throwable> causes = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord logRecord) {
          logged.add(logRecord.getMessage());
          causes.add(logRecord.getThrown());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    LOGGER.addHandler(handler);
    LOGGER.setUseParentHandlers(false);
  }

  @AfterEach
  void stopListening() {
    LOGGER.removeHandler(handler);
    LOGGER.setUseParentHandlers(true);
  }

  /** Copies twice from device 0 to device 1. */
  private static void copyTwice(TwoDevices two) {
    DeviceArray<int[]> source = two.filled(0, 5);
    source.copyTo(two.streams.get(1));
    assertThat(value(source.copyTo(two.streams.get(1)))).isEqualTo(5);
  }

  private static List<Long> calls(TwoDevices two) {
    return List.of(
        two.devices.get(1).calls(DriverCall.CAN_ACCESS_PEER),
        two.devices.get(1).calls(DriverCall.ENABLE_PEER_ACCESS),
        two.devices.get(0).calls(DriverCall.SHARE_POOL));
  }

  @Test
  void theDriverIsAskedBeforeTheFirstCopyAlone() {
    TwoDevices two = TwoDevices.open();
    copyTwice(two);
    assertThat(calls(two)).containsExactly(1L, 1L, 1L);
    assertThat(logged).isEmpty();
    two.closeClean();
  }

  @Test
  void withoutAccessNothingIsEnabledAndTheCopyIsTheSame() {
    TwoDevices two = TwoDevices.openWithoutAccess();
    copyTwice(two);
    assertThat(calls(two)).containsExactly(0L, 0L, 0L);
    assertThat(logged).isEmpty();
    two.closeClean();
  }

  @Test
  void accessThatWasEnabledBeforeIsUsed() {
    TwoDevices two = TwoDevices.open();
    two.devices.get(1).failCall(DriverCall.ENABLE_PEER_ACCESS, 1, ALREADY_ENABLED);
    copyTwice(two);
    assertThat(calls(two)).containsExactly(1L, 1L, 1L);
    assertThat(logged).isEmpty();
    two.closeClean();
  }

  @Test
  void aRefusalIsLoggedOnceAndTheCopyIsTheSame() {
    TwoDevices two = TwoDevices.open();
    two.devices.get(1).failCall(DriverCall.ENABLE_PEER_ACCESS, 1, INVALID_VALUE);
    copyTwice(two);
    assertThat(calls(two)).containsExactly(1L, 1L, 0L);
    assertThat(logged).containsExactly("copies from device 0 to device 1 go through the host");
    assertThat(causes)
        .singleElement()
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> assertThat(e.purpose()).contains("from device 0 to device 1"));
    two.closeClean();
  }
}
