package dev.streamfence.internal.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The blocks of which the arguments of launches are parts. */
final class ArgumentFramesTest {
  private static final long BLOCK = 64 << 10;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final CudaDriver driver = Inside.open(device);
  private final HostMemoryPool memory = new HostMemoryPool(driver, new StickyError());
  private final ArgumentFrames frames = new ArgumentFrames(memory);

  @AfterEach
  void everyBlockComesBack() {
    long before = memory.bytes();
    Teardown teardown = new Teardown();
    frames.release(teardown);
    teardown.finish();
    memory.take(BLOCK);
    assertThat(memory.bytes()).isEqualTo(before);
    memory.drain().forEach(driver::freeHost);
    driver.close();
  }

  @Test
  void framesFillABlockToItsEnd() {
    HostMemory first = frames.take(BLOCK - 256);
    HostMemory last = frames.take(256);
    assertThat(memory.bytes()).isEqualTo(BLOCK);
    assertThat(last.address()).isEqualTo(first.address() + BLOCK - 256);
    frames.take(1);
    assertThat(memory.bytes()).isEqualTo(2 * BLOCK);
  }

  @Test
  void aFrameThatIsLargerThanABlockHasItsOwn() {
    frames.take(256);
    assertThat(frames.take(2 * BLOCK).sizeInBytes()).isEqualTo(2 * BLOCK);
    assertThat(memory.bytes()).isEqualTo(3 * BLOCK);
  }
}
