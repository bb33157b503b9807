package dev.streamfence.memory;

import java.util.List;

/**
 * Input of an operator that can work on a part of it at a time.
 *
 * @param <T> the type itself
 */
public interface Splittable<T extends Splittable<T>> {
  /** Its parts in order, such as two halves; fewer than two if it cannot be divided. */
  List<T> split();
}
