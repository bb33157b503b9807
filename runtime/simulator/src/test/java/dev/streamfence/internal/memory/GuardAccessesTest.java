package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.memory.GuardReport.Violation;
import dev.streamfence.simulation.Schedule;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a guard touches the memory through which it reads the device: by the piece, not the byte. */
final class GuardAccessesTest {
  private static final int WINDOW = 256 << 10;

  /** Page-locked memory that counts the accesses by the host. */
  private static final class Counted implements HostMemory {
    private final HostMemory memory;
    private int accesses;

    private Counted(HostMemory memory) {
      this.memory = memory;
    }

    @Override
    public long address() {
      return memory.address();
    }

    @Override
    public long sizeInBytes() {
      return memory.sizeInBytes();
    }

    @Override
    public ByteBuffer buffer() {
      accesses++;
      return memory.buffer();
    }

    @Override
    public ByteBuffer readOnlyBuffer() {
      accesses++;
      return memory.readOnlyBuffer();
    }

    @Override
    public HostMemory slice(long offset, long bytes) {
      return memory.slice(offset, bytes);
    }
  }

  private final List<Counted> windows = new ArrayList<>();
  private final SimulatedStreams on =
      new SimulatedStreams(
          Schedule.EAGER,
          (method, call) -> {
            if (method.equals("allocateHost")) {
              Counted window = new Counted((HostMemory) call.proceed());
              windows.add(window);
              return window;
            }
            return unwrapped(call).proceed();
          });
  private final UpstreamResource backend = UpstreamResource.streamOrdered(on.pool, false);
  private final List<GuardReport> reports = new ArrayList<>();
  private final GuardResource guard = new GuardResource(backend, on.pool, reports::add);

  @AfterEach
  void close() {
    guard.close();
    on.close();
  }

  private static InterceptedDriver.Call unwrapped(InterceptedDriver.Call call) {
    for (int i = 0; i < call.count(); i++) {
      if (call.argument(i) instanceof Counted counted) {
        call.replace(i, counted.memory);
      }
    }
    return call;
  }

  private int accesses() {
    return windows.stream().mapToInt(window -> window.accesses).sum();
  }

  @Test
  void aCheckTouchesItsMemoryAFewTimesPerPiece() {
    guard.deallocate(guard.allocate(10 * WINDOW, on.a, ""));
    guard.reap();
    // Two margins at the free; then up to three kinds of bytes in each of eleven pieces.
    assertThat(accesses()).isBetween(2 + 11, 2 + 3 * 11);
    assertThat(reports).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {-512, -1, 0, 1, 7, 8, 262_143 - 512, 262_144 - 512, 299_999, 300_000, 300_511})
  void everyByteOfKeptMemoryIsChecked(int wrong) {
    Allocation block = guard.allocate(300_000, on.a, "");
    guard.deallocate(block);
    on.driver.fillAsync(block.address() + wrong, Byte.BYTES, 1, 1, on.a.stream());
    guard.reap();
    assertThat(reports)
        .singleElement()
        .satisfies(
            report -> {
              assertThat(report.violation()).isEqualTo(Violation.AFTER_FREE);
              assertThat(report.fact())
                  .contains("byte " + wrong + " was overwritten after it was freed");
            });
  }
}
