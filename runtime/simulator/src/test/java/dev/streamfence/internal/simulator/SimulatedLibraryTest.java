package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Streams, events, memory and kernels of other code on a device whose work runs when it is waited
 * for.
 */
final class SimulatedLibraryTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final SimulatedLibrary library = device.library("library");
  private DeviceRuntime gpu;

  @BeforeEach
  void openDevice() {
    gpu = DeviceRuntime.simulated(device);
  }

  @AfterEach
  void closeDevice() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aKernelReadsTheValuesOfEveryTypeThatItWrote() {
    long stream = library.createStream();
    long memory = library.allocate(64);
    List<Number> read = new ArrayList<>();

    library.launch(
        stream,
        "types",
        at -> {
          at.putByte(memory, (byte) -2);
          at.putShort(memory + 2, (short) -300);
          at.putInt(memory + 4, -70_000);
          at.putLong(memory + 8, -5_000_000_000L);
          at.putFloat(memory + 16, -1.5F);
          at.putDouble(memory + 24, Double.MIN_VALUE);
          read.add(at.getByte(memory));
          read.add(at.getShort(memory + 2));
          read.add(at.getInt(memory + 4));
          read.add(at.getLong(memory + 8));
          read.add(at.getFloat(memory + 16));
          read.add(at.getDouble(memory + 24));
          at.putInt(memory + 32, 0x04030201);
          read.add(at.getByte(memory + 33));
        });
    assertThat(read).isEmpty();
    library.synchronize(stream);

    assertThat(read)
        .containsExactly(
            (byte) -2, (short) -300, -70_000, -5_000_000_000L, -1.5F, Double.MIN_VALUE, (byte) 2);
    library.free(memory);
    library.destroyStream(stream);
  }

  @Test
  void anEventIsDoneWhenWhatItCapturedIsAndOrdersWhatWaitsForIt() {
    long first = library.createStream();
    long second = library.createStream();
    long event = library.createEvent();
    List<String> ran = new ArrayList<>();
    assertThat(library.isDone(event)).isTrue();

    library.launch(first, "first", at -> ran.add("first"));
    library.recordEvent(event, first);
    library.waitForEvent(second, event);
    library.launch(second, "second", at -> ran.add("second"));
    library.launch(first, "third", at -> ran.add("third"));
    assertThat(ran).isEmpty();
    assertThat(library.isDone(event)).isFalse();
    library.synchronize(second);

    assertThat(ran).containsExactly("first", "second");
    assertThat(library.isDone(event)).isTrue();
    library.destroyEvent(event);
    assertThatThrownBy(() -> library.isDone(event)).isInstanceOf(IllegalArgumentException.class);
    library.destroyStream(first);
    assertThat(ran).containsExactly("first", "second", "third");
    library.destroyStream(second);
    assertThatThrownBy(() -> library.synchronize(second))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void memoryIsFreedOnce() {
    long stream = library.createStream();
    long memory = library.allocate(1);
    long other = library.allocate(1);

    library.free(memory);
    library.free(other, stream);

    assertThatThrownBy(() -> library.free(memory)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> library.free(other, stream))
        .isInstanceOf(IllegalArgumentException.class);
    library.destroyStream(stream);
  }
}
