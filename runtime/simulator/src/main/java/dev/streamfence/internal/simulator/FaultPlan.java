package dev.streamfence.internal.simulator;

import dev.streamfence.CudaDriverException;
import dev.streamfence.simulation.DriverCall;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Decides which driver calls fail, and counts the calls. Thread-safe. */
final class FaultPlan {
  private record Position(DriverCall call, long count) {}

  private final Map<Position, Integer> planned = new LinkedHashMap<>();
  private final Map<Long, Integer> plannedOverall = new LinkedHashMap<>();
  private final Map<DriverCall, Long> counts = new EnumMap<>(DriverCall.class);
  private long total;

  synchronized void fail(DriverCall call, long nth, int code) {
    requireFailure(code);
    planned.put(new Position(call, calls(call) + requirePositive(nth)), code);
  }

  synchronized void fail(long nth, int code) {
    requireFailure(code);
    plannedOverall.put(total + requirePositive(nth), code);
  }

  synchronized long calls(DriverCall call) {
    return counts.getOrDefault(call, 0L);
  }

  synchronized long calls() {
    return total;
  }

  /** The failures that no call has met yet, as they would be planned now. */
  synchronized List<String> pending() {
    List<String> pending = new ArrayList<>();
    planned.forEach(
        (position, code) ->
            pending.add(
                inWords(
                    position.call().function(), position.count() - calls(position.call()), code)));
    plannedOverall.forEach((count, code) -> pending.add(inWords("any kind", count - total, code)));
    return pending;
  }

  private static String inWords(String kind, long ahead, int code) {
    return "call "
        + ahead
        + " of "
        + kind
        + " from now: "
        + ResultCode.name(code)
        + " ("
        + code
        + ")";
  }

  /** Counts a call, and throws if the plan makes it fail. */
  synchronized void enter(DriverCall call) {
    long count = counts.merge(call, 1L, Long::sum);
    total++;
    if (planned.isEmpty() && plannedOverall.isEmpty()) {
      return;
    }
    Integer ofCall = planned.remove(new Position(call, count));
    Integer overall = plannedOverall.remove(total);
    Integer code = ofCall != null ? ofCall : overall;
    if (code != null) {
      throw new CudaDriverException(call.function(), code, ResultCode.name(code));
    }
  }

  private static void requireFailure(int code) {
    if (code == 0) {
      throw new IllegalArgumentException("the code 0 is that of a success; pass another one");
    }
  }

  private static long requirePositive(long nth) {
    if (nth < 1) {
      throw new IllegalArgumentException("call number " + nth + "; the next call is number 1");
    }
    return nth;
  }
}
