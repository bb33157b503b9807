package dev.streamfence.internal.jfr;

import dev.streamfence.launch.Access;
import dev.streamfence.trace.TracedUse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The uses of one piece of work as the text of one field: an event has no lists. */
final class FlightText {
  private static final String FIELD = "\t";

  private FlightText() {}

  /** One line per use, whose fields are separated by tabs. */
  static String of(List<TracedUse> uses) {
    return uses.stream()
        .map(
            use ->
                String.join(
                    FIELD,
                    use.access().name(),
                    plain(use.parameter()),
                    plain(use.tag()),
                    plain(use.memory())))
        .collect(Collectors.joining("\n"));
  }

  /** The uses that a text was made of; those that it does not show are left out. */
  static List<TracedUse> uses(String text) {
    List<TracedUse> uses = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      String[] fields = line.split(FIELD, -1);
      if (fields.length == 4) {
        uses.add(new TracedUse(fields[1], fields[2], fields[3], Access.valueOf(fields[0])));
      }
    }
    return uses;
  }

  private static String plain(String text) {
    return text.replace('\t', ' ').replace('\n', ' ');
  }
}
