package dev.streamfence.memory;

import dev.streamfence.DeviceMemory;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RetryAllocationException;
import dev.streamfence.SplitAndRetryException;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.pressure.PressureTask;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs operators that share the memory of a runtime with those of other threads: they wait for
 * memory, begin again, and work on smaller parts of their input.
 *
 * <p>An operator runs in a {@link MemoryTask}: that of the thread, or one that is opened for the
 * call. It may run several times for the same part, so it must not change its input, and when it
 * throws it has closed what it has allocated, as {@code try} blocks do. Arrays that it returns stay
 * open; they are closed if a later part fails. Thread-safe.
 *
 * <p>Inside of another operator of the thread, an operator that has to give way, or whose input
 * cannot be divided, ends the outer one: that closes its arrays as well, and begins again or
 * divides its own input.
 *
 * <p>Each method throws an {@link OutOfMemoryBudgetException} if the memory does not suffice for a
 * part that cannot be divided, or a wait takes longer than the task's patience; and what the
 * operator throws.
 */
public final class Retry {
  private Retry() {}

  /**
   * Runs an operator whose input cannot be divided.
   *
   * @return its result
   */
  public static <R> R with(DeviceMemory memory, Supplier<? extends R> operator) {
    return Retry.<String, R>with(
            memory, "the operator", whole -> List.of(whole), whole -> operator.get())
        .get(0);
  }

  /**
   * Runs an operator on an input, or on parts of it one after another.
   *
   * @return the results in the order of the parts
   */
  public static <T extends Splittable<T>, R> List<R> with(
      DeviceMemory memory, T input, Function<? super T, ? extends R> operator) {
    return with(memory, input, Splittable::split, operator);
  }

  /**
   * Runs an operator on an input, or on parts of it one after another.
   *
   * @param splitter divides an input in order; fewer than two parts if that is impossible
   * @return the results in the order of the parts
   * @throws IllegalStateException if the splitter returns null or a part that is null
   */
  public static <T, R> List<R> with(
      DeviceMemory memory,
      T input,
      Function<? super T, ? extends List<? extends T>> splitter,
      Function<? super T, ? extends R> operator) {
    Objects.requireNonNull(input, "input");
    Objects.requireNonNull(splitter, "splitter");
    Objects.requireNonNull(operator, "operator");
    List<R> results = new ArrayList<>();
    Deque<T> parts = new ArrayDeque<>(List.of(input));
    try (MemoryTask task = memory.task();
        Operator running = Operator.begin(task)) {
      for (T part = parts.poll(); part != null; part = parts.poll()) {
        try {
          results.add(operator.apply(part));
        } catch (RetryAllocationException giveWay) {
          if (running.isInner()) {
            throw giveWay;
          }
          task.awaitTurn();
          parts.push(part);
        } catch (SplitAndRetryException tooMuch) {
          List<? extends T> smaller = divided(part, splitter, tooMuch);
          if (smaller.size() < 2) {
            if (running.isInner()) {
              throw tooMuch;
            }
            throw tooMuch.refusal().after(part + " cannot be divided; " + tooMuch.getMessage());
          }
          for (int i = smaller.size() - 1; i >= 0; i--) {
            parts.push(smaller.get(i));
          }
        }
      }
      return results;
    } catch (Throwable e) {
      results.forEach(result -> closeAfter(e, result));
      throw e;
    }
  }

  /**
   * The parts of a part. An exception of the splitter has the reason of the division suppressed.
   */
  private static <T> List<? extends T> divided(
      T part,
      Function<? super T, ? extends List<? extends T>> splitter,
      SplitAndRetryException tooMuch) {
    @Nullable List<? extends T> found;
    try {
      found = splitter.apply(part);
    } catch (Throwable e) {
      if (e != tooMuch) {
        Suppressed.add(e, tooMuch);
      }
      throw e;
    }
    if (found == null) {
      throw new IllegalStateException("the splitter returned null for " + part, tooMuch);
    }
    if (found.stream().anyMatch(Objects::isNull)) {
      throw new IllegalStateException(
          "the splitter returned a part that is null for " + part + ": " + found, tooMuch);
    }
    return found;
  }

  /** An operator that runs; the close ends it. */
  private record Operator(PressureTask task, boolean isInner) implements AutoCloseable {
    static Operator begin(MemoryTask task) {
      PressureTask own = PressureTask.of(task);
      return new Operator(own, own.beginOperator());
    }

    @Override
    public void close() {
      task.endOperator();
    }
  }

  private static void closeAfter(Throwable failure, Object result) {
    if (result instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Throwable e) {
        Suppressed.add(failure, e);
      }
    }
  }
}
