package dev.streamfence.internal.memory;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * What the runtimes of this process have in common on one device: the bytes that they take
 * together, claimed and promised ones included, and the driver's pool. The bytes are counted from
 * the second runtime on: the changes of one that was always alone cost nothing. Thread-safe; {@code
 * this} is held for one change of the number, and calls nothing.
 */
public final class DeviceShare {
  /** The accounts of open runtimes. Guarded by itself; each account is locked under it. */
  private final Set<Account> members = Collections.newSetFromMap(new WeakHashMap<>());

  private long taken;

  /** Whether a runtime has let the driver's pool keep freed memory, which it does not by itself. */
  private boolean hasKeptFreedMemory;

  /** Adds the account of a runtime. */
  void join(Account account) {
    synchronized (members) {
      members.add(account);
      if (members.size() > 1) {
        members.forEach(each -> each.countIn(this));
      }
    }
  }

  /** Removes the account of a runtime that is closed, with its bytes. */
  void leave(Account account) {
    synchronized (members) {
      members.remove(account);
      account.countOut();
    }
  }

  /**
   * Notes whether a runtime lets the driver's pool keep freed memory.
   *
   * @return whether any runtime has, so that the driver has to be told how much it keeps now
   */
  public synchronized boolean keepFreedMemory(boolean isLet) {
    hasKeptFreedMemory |= isLet;
    return hasKeptFreedMemory;
  }

  /** Takes bytes, if all that are taken then are within a limit. */
  synchronized boolean tryTake(long bytes, long limit) {
    // Not the sum, which an unlimited runtime could overflow.
    if (bytes > limit - taken) {
      return false;
    }
    taken += bytes;
    return true;
  }

  /** Takes bytes that an account has already. */
  synchronized void take(long bytes) {
    taken += bytes;
  }

  /** Gives bytes back. */
  synchronized void giveBack(long bytes) {
    taken -= bytes;
  }

  /** The bytes of all runtimes. */
  synchronized long taken() {
    return taken;
  }
}
