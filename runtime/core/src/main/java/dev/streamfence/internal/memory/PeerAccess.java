package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.ContextHandle;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** Which other devices have memory that one device can access. Thread-safe. */
public final class PeerAccess {
  /** {@code CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED}: by another runtime or library. */
  private static final int ALREADY_ENABLED = 704;

  private final CudaDriver driver;
  private final ReentrantLock lock = new ReentrantLock();

  /** What the driver has answered. Guarded by the lock. */
  private final Map<ContextHandle, Boolean> known = new WeakHashMap<>();

  /** Creates the accesses of a device. */
  public PeerAccess(CudaDriver driver) {
    this.driver = driver;
  }

  /**
   * Whether kernels of the device can access memory of another one; enables that if the driver
   * allows it. Asks the driver once.
   *
   * @throws CudaDriverException if the driver fails to answer or to enable it; it is asked again
   */
  public boolean isOn(CudaDriver other) {
    ContextHandle context = other.context();
    lock.lock();
    try {
      Boolean answer = known.get(context);
      if (answer == null) {
        answer = driver.isPeer(context) && (isSameDevice(other) || enable(other));
        known.put(context, answer);
      }
      return answer;
    } finally {
      lock.unlock();
    }
  }

  /** Two runtimes of one GPU share its context. */
  private boolean isSameDevice(CudaDriver other) {
    return driver.properties().ordinal() == other.properties().ordinal();
  }

  private boolean enable(CudaDriver other) {
    if (!driver.canAccessPeer(other.context())) {
      return false;
    }
    try {
      driver.enablePeerAccess(other.context());
    } catch (CudaDriverException e) {
      if (e.code() != ALREADY_ENABLED) {
        throw e;
      }
    }
    other.sharePool(driver.context());
    return true;
  }
}
