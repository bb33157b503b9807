package dev.streamfence.internal.memory;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.WaitingLine;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the bytes of a resource that are outstanding at the same time. The figures are those
 * of the resource's account, which refuses what exceeds the limit. Thread-safe.
 *
 * <p>A request that fits the limit but not its remaining bytes waits for freed memory, including
 * the memory that other threads are returning; in a thread with a launch open it is refused.
 */
public final class BudgetResource implements AllocationResource {
  private final AllocationResource resource;
  private final Account account;
  private final WaitingLine returned;
  private volatile Runnable whenReturned = () -> {};

  /**
   * Limits the bytes of a resource. Bytes already outstanding there count.
   *
   * @param limitInBytes at least 0
   * @throws IllegalStateException if the resource is limited already
   */
  public BudgetResource(AllocationResource resource, long limitInBytes) {
    this.resource = resource;
    this.account = resource.account();
    this.returned = new WaitingLine();
    account.limit(limitInBytes, "", this::awaitReap, resource::mayWaitForOthers);
  }

  /**
   * Counts the bytes in those that the runtimes of this process take on the device.
   *
   * @param limits whether this limit is one for all of them
   */
  public void shareDevice(DeviceShare device, boolean limits) {
    if (limits) {
      account.limitShare();
    }
    device.join(account);
  }

  /** Gives up what it takes on the device, which is closed. */
  public void leaveDevice(DeviceShare device) {
    device.leave(account);
  }

  private BudgetResource(AllocationResource resource, Account account, WaitingLine returned) {
    this.resource = resource;
    this.account = account;
    this.returned = returned;
  }

  /**
   * Creates a second limit within this one, for one of several users. An allocation counts in both,
   * but in the part only while it is open.
   *
   * @param limitInBytes at least 0; a limit above the whole's is never reached
   * @param partName its name in refusals
   */
  public BudgetResource part(long limitInBytes, String partName) {
    Account part = account.part();
    part.limit(limitInBytes, partName, wanted -> {}, resource::mayWaitForOthers);
    return new BudgetResource(resource, part, returned.another());
  }

  @Override
  public Allocation allocate(long sizeInBytes, Timeline timeline, String tag, Account payer) {
    return resource.allocate(sizeInBytes, timeline, tag, payer);
  }

  @Override
  public @Nullable Allocation tryAllocate(
      long sizeInBytes, Timeline timeline, String tag, Account payer) {
    return resource.tryAllocate(sizeInBytes, timeline, tag, payer);
  }

  /** Refuses bytes that would not fit now; changes nothing, see {@link Account#check}. */
  public void check(long bytes) {
    check(bytes, "a checked request");
  }

  /** Refuses bytes of a request in words that would not fit now. */
  public void check(long bytes, String what) {
    account.check(bytes, what);
  }

  @Override
  public void deallocate(Allocation allocation) {
    try {
      if (!tryDeallocate(allocation)) {
        account.beginReturning();
        try {
          resource.deallocate(allocation);
        } finally {
          account.endReturning(1);
        }
      } else if (hasPostponed()) {
        releasePostponed();
      }
    } finally {
      signalRoom();
    }
  }

  @Override
  public boolean tryDeallocate(Allocation allocation) {
    return resource.tryDeallocate(allocation);
  }

  @Override
  public void releasePostponed() {
    account.beginReturning();
    try {
      resource.releasePostponed();
    } finally {
      // Who waits for room has to reap once more: what was queued here may be done already.
      account.endReturning(1);
    }
  }

  @Override
  public boolean hasPostponed() {
    return resource.hasPostponed();
  }

  @Override
  public long awaitReap(long wanted) {
    account.beginReturning();
    try {
      return resource.awaitReap(wanted);
    } finally {
      account.endReturning(0);
    }
  }

  @Override
  public boolean mayWaitForOthers() {
    return resource.mayWaitForOthers();
  }

  @Override
  public Account account() {
    return account;
  }

  @Override
  public int deviceOrdinal() {
    return resource.deviceOrdinal();
  }

  @Override
  public boolean tracksUses() {
    return resource.tracksUses();
  }

  /** The figures at this moment. */
  public Budget snapshot() {
    return account.snapshot();
  }

  /** Bytes that a request could take now, within all limits. */
  public long remaining() {
    return account.remaining();
  }

  /**
   * Bytes were given back, or can be made free: the threads that wait for room in this limit or in
   * its parts look again. Costs next to nothing if none does.
   */
  public void signalRoom() {
    returned.signal();
    whenReturned.run();
  }

  /** The threads that wait for bytes of this limit. */
  public WaitingLine returned() {
    return returned;
  }

  /** Calls an action, which must not wait, at each {@link #signalRoom}. */
  public void whenReturned(Runnable action) {
    whenReturned = action;
  }

  /**
   * The account that refuses bytes at this moment: of this limit, or of one around it. Budgets may
   * have the same name.
   *
   * @return null if all have room, as when the driver has refused, or memory has been freed since
   */
  public @Nullable Account refuser(long bytes) {
    return account.without(bytes);
  }

  /** Whether an allocation counts in this limit. */
  public boolean pays(Allocation allocation) {
    return allocation.isPaidBy(account);
  }

  /** Resets the peak to the bytes that are outstanding now. */
  public void resetPeak() {
    account.resetPeak();
  }

  /**
   * Sets bytes aside for several allocations, and allocates nothing. Waits like {@link #allocate}
   * if they do not fit.
   *
   * @param bytes at least 1
   * @throws OutOfMemoryBudgetException if they do not fit; nothing has changed
   */
  public Reservation reserve(long bytes) {
    AllocationResource.requirePositive(bytes, "a reservation");
    account.promise(bytes, "a reservation");
    return new Reservation(resource, account, bytes);
  }

  /**
   * Sets bytes aside like {@link #reserve}, without waiting.
   *
   * @return null if they do not fit now
   * @throws OutOfMemoryBudgetException if they never fit
   */
  public @Nullable Reservation tryReserve(long bytes) {
    AllocationResource.requirePositive(bytes, "a reservation");
    return account.tryPromise(bytes, "a reservation")
        ? new Reservation(resource, account, bytes)
        : null;
  }
}
