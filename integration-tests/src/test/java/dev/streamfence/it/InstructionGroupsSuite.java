package dev.streamfence.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.corpus.Corpus;
import dev.streamfence.corpus.KernelCase;
import dev.streamfence.corpus.KernelStruct;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the kernels of the interpreter's tests on an open device, through the driver seam since some
 * take structures, with buffers of each kind of memory: the device gives the results that Java
 * expects.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class InstructionGroupsSuite {
  private DeviceRuntime gpu;

  abstract DeviceRuntime open(RuntimeOptions options);

  /** The options of the suite's runtime, such as guarded memory. */
  RuntimeOptions options() {
    return RuntimeOptions.defaults();
  }

  @BeforeAll
  void openDevice() {
    gpu = open(options());
  }

  @AfterAll
  void closeDevice() {
    if (gpu != null) {
      gpu.close();
    }
  }

  @AfterEach
  void everyByteComesBack() {
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    assertThat(gpu.memory().statistics().guardViolations()).isZero();
  }

  static List<KernelCase> cases() {
    return Corpus.all();
  }

  @ParameterizedTest
  @MethodSource("dev.streamfence.it.InstructionGroupsSuite#cases")
  void theDeviceGivesTheResultsThatJavaExpects(KernelCase kernel) throws Exception {
    kernel.check(this::run);
  }

  private void run(String ptx, String entry, PtxGrid grid, List<Object> arguments) {
    CudaDriver driver = Inside.driver(gpu);
    ModuleHandle module = driver.loadModule(entry, ptx.getBytes(UTF_8));
    HostMemory frame = driver.allocateHost(4096);
    List<DeviceArray<byte[]>> buffers = new ArrayList<>();
    try (DeviceStream stream = gpu.streams().acquire()) {
      FunctionHandle function = driver.function(module, entry);
      write(frame, arguments, stream, buffers);
      driver.launchKernel(
          new KernelLaunch(function, false, Inside.timeline(stream).stream(), frame)
              .grid(grid.gridX(), grid.gridY(), grid.gridZ())
              .block(grid.blockX(), grid.blockY(), grid.blockZ())
              .dynamicSharedBytes(grid.dynamicSharedBytes()));
      int next = 0;
      for (Object argument : arguments) {
        if (argument instanceof byte[] buffer) {
          buffers.get(next++).download(stream, buffer);
        }
      }
    } finally {
      driver.synchronizeDevice();
      buffers.forEach(DeviceArray::close);
      driver.freeHost(frame);
      driver.unloadModule(module);
    }
  }

  /** A table of addresses, then the arguments, each at a multiple of 16 bytes. */
  private void write(
      HostMemory frame,
      List<Object> arguments,
      DeviceStream stream,
      List<DeviceArray<byte[]>> buffers) {
    ByteBuffer bytes = frame.buffer();
    int offset = 512;
    for (int i = 0; i < arguments.size(); i++) {
      Object argument = arguments.get(i);
      bytes.putLong(8 * i, frame.address() + offset);
      int size = Long.BYTES;
      if (argument instanceof byte[] buffer) {
        DeviceArray<byte[]> array = gpu.memory().upload(stream, buffer);
        buffers.add(array);
        Allocation allocation = Inside.allocation(array);
        bytes.putLong(offset, Objects.requireNonNull(allocation).address());
      } else if (argument instanceof Integer value) {
        bytes.putInt(offset, value);
      } else if (argument instanceof Long value) {
        bytes.putLong(offset, value);
      } else if (argument instanceof Float value) {
        bytes.putFloat(offset, value);
      } else if (argument instanceof KernelStruct struct) {
        bytes.put(offset, struct.bytes());
        size = struct.bytes().length;
      } else {
        throw new IllegalArgumentException("no kernel takes " + argument);
      }
      offset += (size + 15) / 16 * 16;
    }
  }
}
