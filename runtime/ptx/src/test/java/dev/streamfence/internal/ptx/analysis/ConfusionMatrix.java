package dev.streamfence.internal.ptx.analysis;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Counts how often the analysis agrees with the kernel. */
final class ConfusionMatrix {
  private static final String[] ACTUAL = {"not read", "read", "not written", "written"};

  /** For each truth, how often the analysis said no, yes and unknown. */
  private final int[][] said = new int[4][3];

  private final Set<String> kernels = new LinkedHashSet<>();
  private final List<String> wrong = new ArrayList<>();
  private final List<String> unknown = new ArrayList<>();
  private int pointers;
  private int excused;
  private int numbers;
  private int warned;
  private int unknownPointers;

  List<String> wrong() {
    return wrong;
  }

  List<String> unknown() {
    return unknown;
  }

  int kernels() {
    return kernels.size();
  }

  int parameters() {
    return pointers + numbers;
  }

  void add(String file, AccessTruth truth, KernelAccesses found) {
    kernels.add(file + " " + truth.entry());
    for (int i = 0; i < truth.parameters().size(); i++) {
      AccessTruth.Parameter parameter = truth.parameters().get(i);
      String where = file + " " + truth.entry() + " ";
      for (AccessTruth.Pointer pointer : parameter.pointers()) {
        pointers++;
        add(where + pointer.name(), pointer, found.parameter(i, pointer.offset()));
      }
      if (parameter.pointers().isEmpty()) {
        numbers++;
        addNumber(where + parameter.name(), found.parameter(i));
      }
    }
  }

  private void add(String where, AccessTruth.Pointer truth, ParameterAccess access) {
    boolean noRead = access.read().isEmpty() && access.possibleRead().isEmpty();
    boolean noWrite = access.write().isEmpty() && access.possibleWrite().isEmpty();
    int read = access.read().isPresent() ? 1 : noRead ? 0 : 2;
    int write = access.write().isPresent() ? 1 : noWrite ? 0 : 2;
    said[truth.reads() ? 1 : 0][read]++;
    said[truth.writes() ? 3 : 2][write]++;
    if (read == (truth.reads() ? 0 : 1) || write == (truth.writes() ? 0 : 1)) {
      wrong.add(where + ": " + truth + ", found " + access);
    }
    if ((truth.reads() && !truth.writes() && isOpen(write))
        || (truth.writes() && !truth.reads() && isOpen(read))) {
      warned++;
    }
    if (access.unknown().isPresent()) {
      unknownPointers++;
      unknown.add(where + ": " + access + (truth.escapes() ? " (escapes)" : ""));
      excused += truth.escapes() ? 1 : 0;
    }
  }

  private static boolean isOpen(int said) {
    return said == 2;
  }

  private void addNumber(String where, ParameterAccess access) {
    if (access.read().isPresent() || access.write().isPresent()) {
      wrong.add(where + ": a number, found " + access);
    } else if (access.unknown().isPresent()) {
      unknown.add(where + ": a number, found " + access);
    }
  }

  /** Returns the share of parameters that are unknown though their address does not escape. */
  double unknownShare() {
    return (unknown.size() - excused) / (double) parameters();
  }

  /** Returns the share of pointers that are unknown, those that escape included. */
  double unknownPointerShare() {
    return unknownPointers / (double) pointers;
  }

  /** Returns the share of questions (is it read, is it written) that have no answer. */
  double unknownAccessShare() {
    int open = 0;
    for (int[] row : said) {
      open += row[2];
    }
    return open / (2.0 * pointers);
  }

  /** Returns the share of pointers that, declared as they are used, would give a warning. */
  double warnedShare() {
    return warned / (double) pointers;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            "%d kernels, %d pointers, %d numbers; unknown %d (%.1f %% of all), and %d that escape"
                + " (%.1f %% of the pointers in all); %.1f %% of the accesses; %.1f %% of the"
                + " pointers, declared as they are, would be warned of; wrong %d%n",
            kernels(),
            pointers,
            numbers,
            unknown.size() - excused,
            100 * unknownShare(),
            excused,
            100 * unknownPointerShare(),
            100 * unknownAccessShare(),
            100 * warnedShare(),
            wrong.size()));
    text.append(String.format("%-14s %8s %8s %8s%n", "in truth", "said no", "yes", "unknown"));
    for (int i = 0; i < ACTUAL.length; i++) {
      text.append(
          String.format("%-14s %8d %8d %8d%n", ACTUAL[i], said[i][0], said[i][1], said[i][2]));
    }
    return text.toString();
  }
}
