package dev.streamfence.internal.memory;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The bytes that the runtimes of this process take together on one device, claimed and promised
 * ones included. They are counted from the second runtime on: the changes of one that was always
 * alone cost nothing. Thread-safe; {@code this} is held for one change of the number, and calls
 * nothing.
 */
public final class DeviceShare {
  /** The accounts of open runtimes. Guarded by itself; each account is locked under it. */
  private final Set<Account> members = Collections.newSetFromMap(new WeakHashMap<>());

  private long taken;

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
