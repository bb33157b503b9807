package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceGroup;
import dev.streamfence.DeviceStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What copies between the first two devices of a group, and launches that use arrays of both,
 * promise on every kind of device.
 */
abstract class DevicesSuite {
  private DeviceGroup group;
  private DeviceStream one;
  private DeviceStream other;

  /** Opens at least two devices; skips the test if there are fewer. */
  abstract DeviceGroup open();

  /** The elements of an array. */
  abstract int length();

  /** How long a slow kernel takes. */
  abstract int slowness();

  @BeforeEach
  void openGroup() {
    group = open();
    one = group.get(0).streams().acquire();
    other = group.get(1).streams().acquire();
  }

  @AfterEach
  void closeGroup() {
    if (group != null) {
      group.close();
    }
  }

  @Test
  void arraysArriveUnchangedBothWays() {
    int[] content = new Random(1).ints(length()).toArray();
    DeviceArray<int[]> here = group.get(0).memory().upload(one, content);

    DeviceArray<int[]> there = here.copyTo(other);
    DeviceArray<int[]> back = there.copyTo(one);

    assertThat(Arrays.equals(there.download(other), content)).isTrue();
    assertThat(Arrays.equals(back.download(one), content)).isTrue();
  }

  @Test
  void aCopyComesAfterTheKernelThatWritesAndBeforeTheNextWrite() {
    SuiteKernels kernels = SuiteKernelsLauncher.on(one);
    DeviceArray<int[]> source = group.get(0).memory().allocateZeroed(one, int[].class, length());
    DeviceArray<int[]> target = group.get(1).memory().allocateZeroed(other, int[].class, length());
    for (int round = 1; round <= 5; round++) {
      source.fill(one, round);
      kernels.incrementSlowly(source, length(), slowness());
      int[] written = round == 1 ? source.download(one) : null;

      target.copyFrom(other, source);
      source.fill(one, -1);

      int[] copied = target.download(other);
      assertThat(copied[0]).isGreaterThan(round);
      assertThat(copied).containsOnly(copied[0]);
      assertThat(written == null || Arrays.equals(written, copied)).isTrue();
    }
  }

  @Test
  void theFreeOfTheSourceComesAfterTheCopy() {
    DeviceArray<int[]> source = group.get(0).memory().allocate(one, int[].class, length());
    source.fill(one, 5);

    DeviceArray<int[]> there = source.copyTo(other);
    source.close();
    group.get(0).memory().allocate(one, int[].class, length()).fill(one, 7);

    assertThat(there.download(other)).containsOnly(5);
  }

  @Test
  void aLaunchUsesACopyOnTheOtherDevice() {
    DeviceArray<int[]> here = group.get(0).memory().allocate(one, int[].class, length());
    here.fill(one, 5);

    DeviceArray<int[]> there = here.copyTo(other);
    SuiteKernelsLauncher.on(other).increment(there, length());
    here.copyFrom(one, there);

    assertThat(here.download(one)).containsOnly(6);
  }

  @Test
  void aLaunchThatReadsAnArrayOfTheOtherDeviceComesBetweenItsWrites() {
    requireAccess();
    SuiteKernels here = SuiteKernelsLauncher.on(one);
    SuiteKernels there = SuiteKernelsLauncher.on(other);
    DeviceArray<int[]> away = group.get(0).memory().allocateZeroed(one, int[].class, length());
    DeviceArray<int[]> sum = group.get(1).memory().allocateZeroed(other, int[].class, length());
    for (int round = 1; round <= 5; round++) {
      away.fill(one, round);
      here.incrementSlowly(away, length(), slowness());
      int[] written = away.download(one);
      away.fill(one, round);
      here.incrementSlowly(away, length(), slowness());

      there.addOfPeers(away, away, sum, length());
      away.fill(one, -1);

      assertThat(sum.download(other)).containsOnly(2 * written[0]);
    }
  }

  @Test
  void aLaunchThatWritesAnArrayOfTheOtherDeviceComesBeforeItsNextUse() {
    requireAccess();
    SuiteKernels here = SuiteKernelsLauncher.on(one);
    DeviceArray<int[]> expected = group.get(0).memory().allocate(one, int[].class, length());
    expected.fill(one, 1);
    here.incrementSlowly(expected, length(), slowness());
    DeviceArray<int[]> away = group.get(0).memory().allocate(one, int[].class, length());
    away.fill(one, 1);

    SuiteKernelsLauncher.on(other).incrementPeerSlowly(away, length(), slowness());
    here.increment(away, length());

    int value = expected.download(one)[0];
    assertThat(away.download(one)).containsOnly(value + 1);
  }

  @Test
  void theFreeOfAnArrayComesAfterTheLaunchOfTheOtherDevice() {
    requireAccess();
    SuiteKernels there = SuiteKernelsLauncher.on(other);
    DeviceArray<int[]> busy = group.get(1).memory().allocateZeroed(other, int[].class, length());
    DeviceArray<int[]> sum = group.get(1).memory().allocateZeroed(other, int[].class, length());
    DeviceArray<int[]> away = group.get(0).memory().allocate(one, int[].class, length());
    away.fill(one, 5);

    there.incrementSlowly(busy, length(), slowness());
    there.addOfPeers(away, away, sum, length());
    away.close();
    group.get(0).memory().allocate(one, int[].class, length()).fill(one, 7);

    assertThat(sum.download(other)).containsOnly(10);
  }

  private void requireAccess() {
    assumeTrue(
        group.get(1).canAccess(group.get(0)), "the second device cannot access the first one");
  }
}
