package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.device.RuntimeLog;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the kernels of {@code kernels/printing.cu}, made by nvcc, print on a simulated device. */
final class KernelOutputTest {
  private static final KernelImage IMAGE =
      KernelImage.resource("kernels/printing.ptx", KernelOutputTest.class::getResourceAsStream);

  private static final KernelSignature HELLO =
      KernelSignature.entry("hello").value("f", float.class).shape("shape");

  private final List<String> printed = new ArrayList<>();

  private static void hello(DeviceStream stream, int blocks, int threads) {
    try (LaunchRecorder recorder = LoadedModule.of(stream, IMAGE).recorder(HELLO).begin()) {
      recorder.value(1.2345f).shape(LaunchShape.of(blocks, threads)).preflight().launch().commit();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReceiverGetsEachPrintfAsOneStringInAFixedOrder(Schedule schedule) {
    SimulatedDevice device =
        SimulatedDevice.builder().schedule(schedule).kernelOutput(printed::add).build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      hello(stream, 2, 3);
      stream.synchronize();
    }
    assertThat(printed)
        .containsExactly(
            "Hello thread 0 of block 0, f=1.234500\n",
            "Hello thread 1 of block 0, f=1.234500\n",
            "Hello thread 2 of block 0, f=1.234500\n",
            "Hello thread 0 of block 1, f=1.234500\n",
            "Hello thread 1 of block 1, f=1.234500\n",
            "Hello thread 2 of block 1, f=1.234500\n");
  }

  @Test
  void withoutAReceiverTheOutputIsLogged() {
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.SIMULATION);
        DeviceRuntime gpu = DeviceRuntime.simulated(SimulatedDevice.builder().build())) {
      DeviceStream stream = gpu.streams().acquire();
      hello(stream, 1, 1);
      stream.synchronize();
      assertThat(log.messages()).containsExactly("Hello thread 0 of block 0, f=1.234500");
    }
  }

  @Test
  void argumentsOfEveryWidthArePrinted() {
    SimulatedDevice device = SimulatedDevice.builder().kernelOutput(printed::add).build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      KernelSignature widths =
          KernelSignature.entry("widths")
              .reads("text", byte[].class)
              .trusted()
              .value("wide", long.class)
              .shape("shape");
      try (DeviceArray<byte[]> text =
              gpu.memory().upload(stream, "abc\0".getBytes(StandardCharsets.US_ASCII));
          LaunchRecorder recorder = LoadedModule.of(stream, IMAGE).recorder(widths).begin()) {
        recorder
            .array(text)
            .value(-5_000_000_000L)
            .shape(LaunchShape.of(1, 1))
            .preflight()
            .launch()
            .commit();
      }
      stream.synchronize();
    }
    assertThat(printed).containsExactly("c -2 -5000000000 abc  1.00|7     |0xff|%\n");
  }

  @Test
  void aKernelGetsTheNumberOfArguments() {
    SimulatedDevice device = SimulatedDevice.builder().kernelOutput(printed::add).build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      KernelSignature answers =
          KernelSignature.entry("answers").writes("out", int[].class).shape("shape");
      try (DeviceArray<int[]> out = gpu.memory().allocate(stream, int[].class, 3)) {
        try (LaunchRecorder recorder = LoadedModule.of(stream, IMAGE).recorder(answers).begin()) {
          recorder.array(out).shape(LaunchShape.of(1, 1)).preflight().launch().commit();
        }
        assertThat(out.download(stream)).containsExactly(0, 3, -1);
      }
    }
    assertThat(printed).containsExactly("no argument\n", "1 and   2\n");
  }

  @Test
  void anExceptionOfTheReceiverEndsTheDeviceAndIsNamed() {
    SimulatedDevice device =
        SimulatedDevice.builder()
            .kernelOutput(
                text -> {
                  throw new IllegalStateException("enough");
                })
            .build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      hello(stream, 1, 1);
      assertThatThrownBy(stream::synchronize)
          .isInstanceOf(CudaDriverException.class)
          .hasMessageStartingWith("the simulated device ended in hello on stream 1 with ")
          .hasMessageContaining("enough");
    }
  }

  @Test
  void aKernelThatPrintsWithoutEndEndsAtItsBudget() {
    SimulatedDevice device =
        SimulatedDevice.builder().kernelOutput(printed::add).instructionsPerLaunch(10_000).build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      KernelSignature chatty =
          KernelSignature.entry("chatty").reads("values", int[].class).shape("shape");
      DeviceArray<int[]> values = gpu.memory().allocateZeroed(stream, int[].class, 1);
      try (LaunchRecorder recorder = LoadedModule.of(stream, IMAGE).recorder(chatty).begin()) {
        recorder.array(values).shape(LaunchShape.of(1, 1)).preflight().launch().commit();
      }
      assertThatThrownBy(stream::synchronize)
          .isInstanceOf(CudaDriverException.class)
          .hasMessageContaining("chatty on stream 1")
          .hasMessageContaining("of kernels/printing.ptx, printing.cu:2");
      values.close();
    }
    assertThat(printed).hasSizeGreaterThan(100).containsOnly("again\n");
  }

  @Test
  void noReceiverIsRefused() {
    assertThatThrownBy(() -> SimulatedDevice.builder().kernelOutput(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("receiver");
  }
}
