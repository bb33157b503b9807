package dev.streamfence.internal.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.HostRanges;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.trace.Trace;
import dev.streamfence.trace.TracedWork;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The ranges by which a profiler names what a thread does. */
final class HostRangesTest {
  /** An interface that declares kernels. */
  private interface Vectors {}

  private final List<String> ranges = new ArrayList<>();
  private final Trace trace = Trace.inMemory(100);
  private final DeviceRuntime gpu =
      RuntimeOverDriver.open(
          InterceptedDriver.of(
              Inside.open(SimulatedDevice.builder().build()),
              (method, call) -> method.equals("hostRanges") ? new Recorded() : call.proceed()),
          RuntimeOptions.defaults().withTrace(trace));
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceArray<int[]> x = gpu.memory().upload(a, new int[4]);

  private final class Recorded implements HostRanges {
    @Override
    public void push(String name) {
      ranges.add(name);
    }

    @Override
    public void pop() {
      ranges.add("end");
    }
  }

  @AfterEach
  void close() {
    gpu.close();
  }

  private LaunchRecorder increment() {
    return LoadedModule.of(a, VectorKernels.COMPARED_IMAGE)
        .recorder(
            KernelSignature.entry("increment")
                .readWrites("values", int[].class)
                .threads("n", int.class, 256),
            Vectors.class,
            "addOne");
  }

  @Test
  void aLaunchIsARangeWithTheNameOfItsInterfaceAndMethod() {
    ranges.clear();
    try (LaunchRecorder launch = increment().begin()) {
      launch.array(x).threads(4).preflight().launch().commit();
    }
    x.fill(a, 7);
    assertThat(ranges).containsExactly("Vectors.addOne", "end", "fill", "end");
  }

  @Test
  void aTraceNamesALaunchAfterItsMethodAndTellsTheEntry() {
    try (LaunchRecorder launch = increment().begin()) {
      launch.array(x).threads(4).preflight().launch().commit();
    }
    TracedWork last = trace.works().get(trace.works().size() - 1);
    assertThat(last.name()).isEqualTo("addOne");
    assertThat(last.detail()).isEqualTo("grid 1 x 1 x 1 of 256 x 1 x 1, entry increment");
  }

  @Test
  void aRangeEndsIfTheLaunchIsRefused() {
    ranges.clear();
    try (LaunchRecorder launch = increment().begin()) {
      assertThatThrownBy(() -> launch.threads(4)).isInstanceOf(KernelArgumentException.class);
    }
    assertThat(ranges).containsExactly("Vectors.addOne", "end");
    assertThat(trace.works()).noneMatch(work -> work.name().equals("addOne"));
  }

  @Test
  void aRangeOfAThreadIsNotEndedByTheThreadThatClosesTheRuntime() throws InterruptedException {
    ranges.clear();
    Thread thread = new Thread(() -> increment().begin());
    thread.start();
    thread.join();
    gpu.close();
    assertThat(ranges.get(0)).isEqualTo("Vectors.addOne");
    assertThat(ranges.stream().filter("end"::equals).count())
        .isEqualTo(ranges.stream().filter(name -> !name.equals("end")).count() - 1);
  }
}
