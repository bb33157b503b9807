package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.memory.AdoptedMemory.Adoption;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory that is adopted again before its owner was told of the end of its last adoption. */
final class AdoptionOrderTest {
  private static final int SIZE = 16;

  private final AtomicReference<Runnable> inWait = new AtomicReference<>(() -> {});
  private final SimulatedStreams on =
      new SimulatedStreams(
          Schedule.LAZY,
          (method, call) -> {
            if (method.equals("waitForEvent")) {
              inWait.getAndSet(() -> {}).run();
            }
            return call.proceed();
          });
  private final SimulatedLibrary producer = on.device.library("producer");
  private final long address = producer.allocate(2 * SIZE);

  /** The releases that come when the device is done. */
  private final List<Runnable> later = new ArrayList<>();

  private final AdoptedMemory adopted =
      new AdoptedMemory(
          on.pool,
          false,
          (address, bytes) -> null,
          new MemoryOwners.OwnerCalls() {
            @Override
            public void outside(Runnable call) {
              call.run();
            }

            @Override
            public void elsewhere(Runnable call) {
              call.run();
            }

            @Override
            public void whenDone(Timeline timeline, long ticket, Runnable action) {
              later.add(action);
            }
          });

  @AfterEach
  void close() {
    on.pool.synchronizeAll("the end");
    later.forEach(Runnable::run);
    producer.free(address);
    on.close();
  }

  /** Adopts memory on stream a, and gives it back while stream b is to fill it. */
  private void fillOnB(long at) {
    Adoption adoption = adopt(at, on.a);
    on.copies.fill(on.b, adoption.region(), 1, 3);
    adopted.deallocate(adoption.lease());
    assertThat(later).hasSize(1);
  }

  private Adoption adopt(long at, Timeline timeline) {
    return adopted.adopt(ForeignMemory.at(at, SIZE).alreadyReady(), false, timeline);
  }

  private long waitsOfAnAdoption(long at) {
    long before = on.device.calls(DriverCall.WAIT_FOR_EVENT);
    Adoption adoption = adopt(at, on.c);
    long waits = on.device.calls(DriverCall.WAIT_FOR_EVENT) - before;
    adopted.deallocate(adoption.lease());
    return waits;
  }

  @Test
  void itWaitsForTheLastUse() {
    fillOnB(address);
    assertThat(waitsOfAnAdoption(address)).isEqualTo(1);
  }

  @Test
  void someOfItWaitsAsWell() {
    fillOnB(address);
    assertThat(waitsOfAnAdoption(address + SIZE - 1)).isEqualTo(1);
  }

  /** Between the moment when the memory is no longer known and the end of its last submission. */
  @Test
  void itWaitsForTheLastUseWhileTheMemoryIsBeingGivenBack() throws Exception {
    long stream = producer.createStream();
    ForeignMemory block = ForeignMemory.at(address, SIZE).alreadyReady().returnedTo(stream);
    Adoption adoption = adopted.adopt(block, false, on.a);
    on.copies.fill(on.b, adoption.region(), 1, 3);
    AtomicReference<Adoption> next = new AtomicReference<>();
    Thread adopter = new Thread(() -> next.set(adopt(address, on.c)));
    // The owner's stream waits for stream b, on which the memory is given back.
    inWait.set(
        () -> {
          adopter.start();
          while (adopter.getState() != Thread.State.WAITING && adopter.isAlive()) {
            Thread.onSpinWait();
          }
        });
    long before = on.device.calls(DriverCall.WAIT_FOR_EVENT);
    adopted.deallocate(adoption.lease());
    adopter.join();
    assertThat(on.device.calls(DriverCall.WAIT_FOR_EVENT) - before).isEqualTo(2);
    adopted.deallocate(next.get().lease());
    producer.destroyStream(stream);
  }

  @Test
  void otherMemoryDoesNotWait() {
    fillOnB(address + SIZE);
    assertThat(waitsOfAnAdoption(address)).isZero();
  }

  @Test
  void whatItsOwnerWasToldOfIsOverAndNotWaitedFor() {
    fillOnB(address);
    later.remove(0).run();
    assertThat(waitsOfAnAdoption(address)).isZero();
  }

  @Test
  void neighboursAreAdoptedAtTheSameTime() {
    long stream = producer.createStream();
    for (long[] pair : new long[][] {{address, address + SIZE}, {address + SIZE, address}}) {
      List<Adoption> second = new ArrayList<>();
      inWait.set(
          () -> second.add(CompletableFuture.supplyAsync(() -> adopt(pair[1], on.b)).join()));
      ForeignMemory pending = ForeignMemory.at(pair[0], SIZE).readyAfterStream(stream);
      adopted.deallocate(adopted.adopt(pending, false, on.a).lease());
      assertThat(second).hasSize(1);
      adopted.deallocate(second.get(0).lease());
    }
  }

  @Test
  void whatAnotherThreadIsAdoptingIsRefusedUnlessBothOnlyRead() {
    long stream = producer.createStream();
    ForeignMemory pending = ForeignMemory.at(address, SIZE).readyAfterStream(stream);
    inWait.set(
        () ->
            assertThatThrownBy(
                    () -> CompletableFuture.runAsync(() -> adopt(address + 4, on.b)).join())
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("which another thread is adopting"));
    adopted.deallocate(adopted.adopt(pending, false, on.a).lease());
    List<Adoption> second = new ArrayList<>();
    inWait.set(
        () ->
            second.add(
                CompletableFuture.supplyAsync(
                        () ->
                            adopted.adopt(
                                ForeignMemory.at(address, SIZE).alreadyReady(), true, on.b))
                    .join()));
    adopted.deallocate(adopted.adopt(pending, true, on.a).lease());
    assertThat(second).hasSize(1);
    adopted.deallocate(second.get(0).lease());
  }
}
