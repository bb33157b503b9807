package dev.streamfence.internal.memory;

import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.PendingUse;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The owners of {@link AdoptedMemory}, each of which is called back once, whatever happens.
 * Thread-safe.
 */
public final class MemoryOwners {
  /**
   * Makes the calls of other code, which may wait for whatever it likes: never in a thread that
   * holds anything of this runtime.
   */
  public interface OwnerCalls {
    /** Makes the call in this thread, once it is outside of the runtime. */
    void outside(Runnable call);

    /** Makes the call in another thread, unless the runtime is closed, which makes it as well. */
    void elsewhere(Runnable call);

    /**
     * Runs an action, which does not wait, when the work with a ticket is done, or its end can no
     * longer be seen: in this thread if that is known already.
     */
    void whenDone(Timeline timeline, long ticket, Runnable action);
  }

  /** What has to be done once for the owner of some memory. */
  final class Owner {
    private final ForeignMemory block;

    /** Tells it from others of the same memory. */
    private final long number = HazardState.newGeneration();

    /** The allocation that the memory lies in and keeps allocated. */
    private final @Nullable Allocation around;

    private final AtomicBoolean holds = new AtomicBoolean(true);

    /** The free of the memory, which comes after its last use; null while it is open. */
    private volatile @Nullable PendingUse lastUse;

    /** The thread that is closing the memory for its user; null while none is. */
    private volatile @Nullable Thread closer;

    /** The thread that has begun to call the owner back; null before. */
    private final AtomicReference<@Nullable Thread> caller = new AtomicReference<>();

    private final CountDownLatch called = new CountDownLatch(1);

    private Owner(ForeignMemory block, @Nullable Allocation around) {
      this.block = block;
      this.around = around;
    }

    ForeignMemory block() {
      return block;
    }

    /** The allocation that the memory lies in; null if it lies in none. */
    @Nullable Allocation around() {
      return around;
    }

    /** Says that the memory is adopted: from now on the close of the runtime calls the owner. */
    void begin() {
      owners.add(this);
    }

    /** Runs a close by the memory's user; this thread calls the owner if that need not wait. */
    void whileClosing(Runnable close) {
      closer = Thread.currentThread();
      try {
        close.run();
      } finally {
        closer = null;
      }
    }

    /** Calls the owner back, unless a thread has begun to. */
    private void call() {
      if (!caller.compareAndSet(null, Thread.currentThread())) {
        return;
      }
      try {
        MemoryOwners.call(block);
      } finally {
        owners.remove(this);
        ended.remove(block.address(), block.sizeInBytes(), number);
        called.countDown();
      }
    }

    /** Calls the owner back soon. */
    void callSoon() {
      if (closer == Thread.currentThread()) {
        calls.outside(this::call);
      } else {
        calls.elsewhere(this::call);
      }
    }

    /** Calls the owner back when the work with a ticket is done. */
    void callWhenDone(Timeline timeline, long ticket) {
      calls.whenDone(timeline, ticket, this::callSoon);
    }

    /**
     * Lets adoptions of the same memory come after its last use here, from before the memory is
     * given back; null if it is not given back after all.
     */
    void end(@Nullable PendingUse last) {
      lastUse = last;
      if (last != null) {
        ended.add(block.address(), block.sizeInBytes(), number, this);
      } else {
        ended.remove(block.address(), block.sizeInBytes(), number);
      }
    }

    /** No longer keeps the memory around it allocated. */
    void endHold() {
      if (around != null && holds.compareAndSet(true, false)) {
        Runnable free = around.hazards().endHold();
        if (free != null) {
          free.run();
        }
      }
    }
  }

  /** Memory that was given back, and whose owner is not known to have been called. */
  private final RangeIndex<Owner> ended = new RangeIndex<>();

  private final Set<Owner> owners = ConcurrentHashMap.newKeySet();
  private final OwnerCalls calls;

  MemoryOwners(OwnerCalls calls) {
    this.calls = calls;
  }

  /** The owner of memory that is being adopted, which keeps the allocation around it. */
  Owner of(ForeignMemory block, @Nullable Allocation around) {
    return new Owner(block, around);
  }

  /** Orders an adoption after the last uses of the same memory here. */
  void precede(ForeignMemory block, Submission adoption) {
    for (Owner owner : ended.overlapping(block.address(), block.sizeInBytes())) {
      PendingUse last = owner.lastUse;
      if (last != null) {
        adoption.after(last.timeline(), last.ticket());
      }
    }
  }

  /** No owner keeps memory allocated any more, also of memory that could not be given back. */
  void endHolds(Teardown teardown) {
    for (Owner owner : owners) {
      teardown.step(owner::endHold);
    }
  }

  /** Calls an owner back; logs what that throws. */
  public static void call(ForeignMemory block) {
    try {
      block.release().run();
    } catch (Throwable e) { // Some languages throw checked exceptions here.
      LogTopic.CALLBACKS.error("the release of " + block + " failed", e);
    }
  }

  /**
   * Calls every owner back that was not, and waits for the calls of other threads, except in a
   * thread that is inside of such a call itself. All memory was given back, and the calling thread
   * holds nothing.
   *
   * @param executor makes the calls
   * @param deadline when to stop waiting
   * @return whether every call has ended
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean callAll(Executor executor, Deadline deadline) throws InterruptedException {
    for (Owner owner : owners) {
      executor.execute(owner::call);
    }
    List<Owner> called = List.copyOf(owners);
    for (Owner owner : called) {
      if (owner.caller.get() == Thread.currentThread()) {
        return true;
      }
    }
    for (Owner owner : called) {
      if (!owner.called.await(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
        return false;
      }
    }
    return true;
  }

  /** The calls that have not ended, in words. */
  public List<String> runningCalls() {
    List<String> running = new ArrayList<>();
    for (Owner owner : owners) {
      Thread caller = owner.caller.get();
      running.add(
          "the release of "
              + owner.block
              + (caller == null ? "" : " by thread '" + caller.getName() + "'"));
    }
    return running;
  }
}
