package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/**
 * Holds a stream back until the host opens it: a kernel that spins on a word of host memory. The
 * runtime does not see it on the stream, so it tracks nothing for it. The kernel gives up after
 * some seconds.
 */
final class Gate implements AutoCloseable {
  private static final long CYCLES = Load.of(8_000_000_000L);

  private final CudaDriver driver;
  private final ModuleHandle module;
  private final FunctionHandle function;
  private final HostMemory memory;

  Gate(DeviceRuntime gpu) {
    driver = Inside.driver(gpu);
    try (InputStream ptx =
        Objects.requireNonNull(Gate.class.getResourceAsStream("/kernels/gate.ptx"))) {
      module = driver.loadModule("gate.ptx", ptx.readAllBytes());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    function = driver.function(module, "gate");
    memory = driver.allocateHost(64);
    memory.buffer().putLong(0, memory.address() + 16).putLong(8, memory.address() + 24);
    memory.buffer().putLong(16, memory.address() + 32).putLong(24, CYCLES);
  }

  /** Puts the closed gate on the stream. */
  void holdBack(DeviceStream stream) {
    holdBack(Inside.timeline(stream).stream());
  }

  /** Puts the closed gate on a stream of other code. */
  void holdBack(long rawStream) {
    holdBack(driver.foreignStream(rawStream));
  }

  private void holdBack(StreamHandle stream) {
    memory.buffer().putInt(32, 0);
    driver.launchKernel(new KernelLaunch(function, false, stream, memory));
  }

  /** Lets the stream go on. */
  void open() {
    memory.buffer().putInt(32, 1);
  }

  @Override
  public void close() {
    open();
    driver.synchronizeDevice();
    driver.freeHost(memory);
    driver.unloadModule(module);
  }
}
