package dev.streamfence.it.compare;

import java.util.Arrays;
import java.util.List;

/**
 * One number per round, with their median and quartiles.
 *
 * @param rounds in the order of the rounds
 */
record Figures(double median, double lowerQuartile, double upperQuartile, List<Double> rounds) {
  Figures {
    rounds = List.copyOf(rounds);
  }

  /** The figures of at least one number. */
  static Figures of(List<Double> rounds) {
    double[] sorted = rounds.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return new Figures(at(sorted, 0.5), at(sorted, 0.25), at(sorted, 0.75), rounds);
  }

  /** Each number divided by the other's of the same round: drift hits both. */
  Figures over(Figures other) {
    double[] quotients = new double[Math.min(rounds.size(), other.rounds.size())];
    for (int i = 0; i < quotients.length; i++) {
      quotients[i] = rounds.get(i) / other.rounds.get(i);
    }
    return of(Arrays.stream(quotients).boxed().toList());
  }

  private static double at(double[] sorted, double share) {
    double position = share * (sorted.length - 1);
    int below = (int) position;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
  }
}
