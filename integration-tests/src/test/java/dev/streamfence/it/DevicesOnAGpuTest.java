package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceGroup;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.driver.jcuda.JCudaDevices;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Copies between two GPUs, and launches that use arrays of both. A gate holds one of them back, as
 * in {@link GatesOnAGpuTest}: with the waits of one device for the other, the answer is right, and
 * without them it is wrong.
 */
@Tag("gpu")
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DevicesOnAGpuTest extends DevicesSuite {
  private static final int N = 1 << 16;
  private static final int OLD = 11;
  private static final int NEW = 22;

  @Override
  DeviceGroup open() {
    requireTwo();
    DeviceGroup group = DeviceGroup.open();
    System.out.println("copies between the first two devices of the " + group);
    return group;
  }

  private static void requireTwo() {
    int gpus = DeviceRuntime.devices().size();
    assumeTrue(gpus >= 2, gpus + " GPUs are here; copies between devices need 2");
  }

  @Override
  int length() {
    return 1 << 24;
  }

  @Override
  int slowness() {
    return 1000;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theCopyWaitsForTheDeviceOfTheSource(boolean deaf) {
    requireTwo();
    try (Pair pair = new Pair(deaf, 0)) {
      DeviceArray<int[]> source = pair.filled(0, OLD);
      DeviceArray<int[]> target = pair.filled(1, OLD);
      pair.gate.holdBack(pair.here);
      source.fill(pair.here, NEW);
      target.copyFrom(pair.there, source);
      pair.letPass();

      assertThat(target.download(pair.there)[0]).isEqualTo(deaf ? OLD : NEW);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theSourceWaitsForTheCopy(boolean deaf) {
    requireTwo();
    try (Pair pair = new Pair(deaf, 1)) {
      DeviceArray<int[]> source = pair.filled(0, OLD);
      DeviceArray<int[]> target = pair.filled(1, OLD);
      pair.gate.holdBack(pair.there);
      target.copyFrom(pair.there, source);
      source.fill(pair.here, NEW);
      pair.letPass();

      assertThat(target.download(pair.there)[0]).isEqualTo(deaf ? NEW : OLD);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theLaunchWaitsForTheDeviceOfTheArray(boolean deaf) {
    requireTwo();
    try (Pair pair = new Pair(deaf, 0)) {
      pair.requireAccess();
      DeviceArray<int[]> away = pair.filled(0, OLD);
      DeviceArray<int[]> sum = pair.filled(1, 0);
      pair.gate.holdBack(pair.here);
      away.fill(pair.here, NEW);
      pair.kernels.addOfPeers(away, away, sum, N);
      pair.letPass();

      assertThat(sum.download(pair.there)[0]).isEqualTo(2 * (deaf ? OLD : NEW));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theDeviceOfTheArrayWaitsForTheLaunch(boolean deaf) {
    requireTwo();
    try (Pair pair = new Pair(deaf, 1)) {
      pair.requireAccess();
      DeviceArray<int[]> away = pair.filled(0, OLD);
      DeviceArray<int[]> sum = pair.filled(1, 0);
      pair.gate.holdBack(pair.there);
      pair.kernels.addOfPeers(away, away, sum, N);
      away.fill(pair.here, NEW);
      pair.letPass();

      assertThat(sum.download(pair.there)[0]).isEqualTo(2 * (deaf ? NEW : OLD));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theDeviceOfTheArrayWaitsForTheLaunchThatWrites(boolean deaf) {
    requireTwo();
    try (Pair pair = new Pair(deaf, 1)) {
      pair.requireAccess();
      DeviceArray<int[]> own = pair.filled(1, NEW);
      DeviceArray<int[]> away = pair.filled(0, OLD);
      DeviceArray<int[]> seen = pair.filled(0, 0);
      pair.gate.holdBack(pair.there);
      pair.kernels.addOfPeers(own, own, away, N);
      seen.copyFrom(pair.here, away);
      pair.letPass();

      assertThat(seen.download(pair.here)[0]).isEqualTo(deaf ? OLD : 2 * NEW);
    }
  }

  /** Two devices, one of which has a gate. */
  private static final class Pair implements AutoCloseable {
    private final DeafDriver[] drivers = {
      new DeafDriver(JCudaDevices.open(0)), new DeafDriver(JCudaDevices.open(1))
    };
    private final DeviceRuntime one = Inside.open(drivers[0].driver());
    private final DeviceRuntime other = Inside.open(drivers[1].driver());
    private final DeviceStream here = one.streams().acquire();
    private final DeviceStream there = other.streams().acquire();
    private final SuiteKernels kernels = SuiteKernelsLauncher.on(there);
    private final Gate gate;
    private final boolean deaf;

    Pair(boolean deaf, int gated) {
      this.deaf = deaf;
      this.gate = new Gate(gated == 0 ? one : other);
      // Streams, events and access are made by the first copy, and making them may wait.
      DeviceArray<int[]> away = filled(0, OLD);
      filled(1, OLD).copyFrom(there, away);
      if (other.canAccess(one)) {
        kernels.addOfPeers(away, away, filled(1, OLD), N);
      }
      one.synchronize();
      other.synchronize();
    }

    void requireAccess() {
      assumeTrue(other.canAccess(one), "the second GPU cannot access the first one");
    }

    DeviceArray<int[]> filled(int device, int value) {
      DeviceRuntime gpu = device == 0 ? one : other;
      DeviceStream stream = device == 0 ? here : there;
      DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, N);
      array.fill(stream, value);
      gpu.synchronize();
      for (DeafDriver driver : drivers) {
        driver.setDeaf(deaf);
      }
      return array;
    }

    /** Opens the gate once what does not wait for it has run. */
    void letPass() {
      try {
        Thread.sleep(100);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      gate.open();
      one.synchronize();
      other.synchronize();
    }

    @Override
    public void close() {
      for (DeafDriver driver : drivers) {
        driver.setDeaf(false);
      }
      gate.close();
      one.close();
      other.close();
    }
  }
}
