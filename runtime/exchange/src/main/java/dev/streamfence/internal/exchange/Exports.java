package dev.streamfence.internal.exchange;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The structures that this process has exported and that are not released yet, each under a number
 * that the structure holds as its context. Thread-safe.
 *
 * <p>A number and no address: one that is not here belongs to nothing, so that a structure that is
 * released twice does no harm.
 */
final class Exports {
  /** What an exported structure stands for. */
  interface Export {}

  // Static, as a structure outlives everything in Java that knows of it. It keeps the memory of a
  // structure alive, and so what its release gives back.
  private static final ConcurrentMap<Long, Export> OPEN = new ConcurrentHashMap<>();
  // Not from 0: the context of another library's structure is null more often than not.
  private static final AtomicLong NEXT = new AtomicLong(1);

  private Exports() {}

  /** Adds an export; returns its number. */
  static long add(Export export) {
    long number = NEXT.getAndIncrement();
    OPEN.put(number, export);
    return number;
  }

  /** The export with a number; null if it is released, or no number of ours. */
  static @Nullable Export get(long number) {
    return OPEN.get(number);
  }

  /** Removes an export, which exactly one caller does. */
  static @Nullable Export remove(long number) {
    return OPEN.remove(number);
  }

  /** How many are not released. */
  static int open() {
    return OPEN.size();
  }
}
