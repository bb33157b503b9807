package dev.streamfence.internal.memory;

import dev.streamfence.DeviceException;
import dev.streamfence.internal.order.Timeline;

/** A resource that runs the test's action before its own work, and counts its calls. */
final class ScriptedResource implements AllocationResource {
  private final AllocationResource resource;
  Runnable beforeAllocate = () -> {};
  Runnable beforeDeallocate = () -> {};
  Runnable afterDeallocate = () -> {};
  Runnable beforeReap = () -> {};
  Runnable afterReap = () -> {};
  Runnable whenReleased = () -> {};
  int allocations;
  int reaps;
  long lastWanted;

  ScriptedResource(AllocationResource resource) {
    this.resource = resource;
  }

  static void fail() {
    throw new DeviceException("as told");
  }

  @Override
  public Allocation allocate(long sizeInBytes, Timeline timeline, String tag, Account payer) {
    allocations++;
    beforeAllocate.run();
    return resource.allocate(sizeInBytes, timeline, tag, payer);
  }

  @Override
  public void deallocate(Allocation allocation) {
    beforeDeallocate.run();
    resource.deallocate(allocation);
    afterDeallocate.run();
  }

  @Override
  public void releasePostponed() {
    whenReleased.run();
    resource.releasePostponed();
  }

  @Override
  public long awaitReap(long wanted) {
    reaps++;
    lastWanted = wanted;
    beforeReap.run();
    long released = resource.awaitReap(wanted);
    afterReap.run();
    return released;
  }

  @Override
  public boolean mayWaitForOthers() {
    return resource.mayWaitForOthers();
  }

  @Override
  public Account account() {
    return resource.account();
  }

  @Override
  public int deviceOrdinal() {
    return 7;
  }
}
