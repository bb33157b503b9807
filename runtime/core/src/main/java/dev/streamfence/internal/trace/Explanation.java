package dev.streamfence.internal.trace;

import dev.streamfence.graph.GraphStructure;
import dev.streamfence.trace.TraceSpan;
import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedPressure;
import dev.streamfence.trace.TracedUse;
import dev.streamfence.trace.TracedWork;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** A trace in words. */
final class Explanation {
  private Explanation() {}

  static String of(List<TracedWork> works, List<TracedPressure> pressure, long forgotten) {
    StringBuilder text = new StringBuilder();
    boolean isOneDevice =
        Stream.concat(
                    works.stream().map(TracedWork::device),
                    pressure.stream().map(TracedPressure::device))
                .distinct()
                .count()
            < 2;
    Deque<TracedPressure> rest = new ArrayDeque<>(pressure);
    if (forgotten > 0) {
      text.append(forgotten).append(" earlier entries are forgotten.\n");
    }
    Set<Long> graphs = new HashSet<>();
    for (TracedWork work : works) {
      while (!rest.isEmpty() && start(rest.getFirst()) <= work.submission().startNanos()) {
        add(rest.removeFirst(), isOneDevice, text);
      }
      add(work, isOneDevice, text);
      GraphStructure graph = work.graph();
      if (graph != null && graphs.add(graph.number())) {
        text.append("graph ").append(graph.name()).append(":\n");
        new GraphPicture(graph).lines().forEach(line -> text.append("  " + line + "\n"));
      }
    }
    rest.forEach(each -> add(each, isOneDevice, text));
    return text.toString();
  }

  private static long start(TracedPressure each) {
    return each.span().startNanos();
  }

  private static void add(TracedPressure each, boolean isOneDevice, StringBuilder text) {
    text.append(each).append(": ").append(each.bytes()).append(" bytes, ");
    text.append(micros(each.span().durationNanos()));
    if (each.kind() != TracedPressure.Kind.WAIT) {
      text.append(", by thread ").append(each.thread());
    }
    text.append(isOneDevice ? "\n" : ", on " + each.device() + "\n");
  }

  private static void add(TracedWork work, boolean isOneDevice, StringBuilder text) {
    text.append(work.streamName()).append(" #").append(work.ticket());
    text.append(": ").append(work.name());
    if (work.bytes() > 0) {
      text.append(", ").append(work.bytes()).append(" bytes");
    }
    if (!work.detail().isEmpty()) {
      text.append(" (").append(work.detail()).append(')');
    }
    text.append(", by thread ").append(work.thread());
    text.append(isOneDevice ? "" : ", on " + work.device());
    TraceSpan execution = work.execution();
    if (execution != null) {
      text.append(", took ").append(micros(execution.durationNanos()));
    }
    if (!work.isQueued()) {
      text.append("; it did not reach the device");
    }
    text.append('\n');
    for (TracedUse use : work.uses()) {
      text.append("  ").append(use).append('\n');
    }
    for (TracedDependency each : work.dependencies()) {
      text.append("  ").append(inWords(each, work)).append('\n');
    }
  }

  private static String inWords(TracedDependency each, TracedWork work) {
    String because = each.because(work);
    String earlier = "stream " + each.stream() + (each.ticket() > 0 ? " #" + each.ticket() : "");
    return switch (each.satisfied()) {
      case BY_WAIT -> "waits for " + earlier + ": " + because;
      case BY_STREAM_ORDER -> "comes after #" + each.ticket() + " of its own stream: " + because;
      case BY_EARLIER_WAIT ->
          "needs no wait for " + earlier + ", which an earlier wait covers: " + because;
      case ALREADY_DONE -> "needs no wait for " + earlier + ", which is done: " + because;
    };
  }

  private static String micros(long nanos) {
    return String.format(Locale.ROOT, "%.1f µs", nanos / 1000.0);
  }
}
