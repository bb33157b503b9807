package dev.streamfence.internal.jfr;

import dev.streamfence.graph.GraphEdge;
import dev.streamfence.graph.GraphNode;
import dev.streamfence.graph.GraphStructure;
import dev.streamfence.launch.Access;
import dev.streamfence.trace.TracedUse;
import dev.streamfence.trace.WorkKind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Lists as the text of one field, with a line for each element: an event has no lists. */
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

  /** The nodes of a graph. */
  static String nodes(GraphStructure graph) {
    return graph.nodes().stream()
        .map(
            node ->
                String.join(
                    FIELD,
                    node.kind().name(),
                    plain(node.name()),
                    plain(node.detail()),
                    Long.toString(node.bytes()),
                    Integer.toString(node.stream()),
                    Integer.toString(node.parent())))
        .collect(Collectors.joining("\n"));
  }

  /** The edges of a graph. */
  static String edges(GraphStructure graph) {
    return graph.edges().stream()
        .map(
            edge ->
                edge.reasons().stream()
                    .map(FlightText::plain)
                    .collect(
                        Collectors.joining(FIELD, edge.from() + FIELD + edge.to() + FIELD, "")))
        .collect(Collectors.joining("\n"));
  }

  /** The graph that two texts were made of. */
  static GraphStructure graph(long number, String name, String nodes, String edges) {
    List<GraphNode> allNodes = new ArrayList<>();
    for (String line : nodes.split("\n", -1)) {
      String[] fields = line.split(FIELD, -1);
      if (fields.length == 6) {
        allNodes.add(
            new GraphNode(
                allNodes.size(),
                WorkKind.valueOf(fields[0]),
                fields[1],
                fields[2],
                Long.parseLong(fields[3]),
                Integer.parseInt(fields[4]),
                Integer.parseInt(fields[5])));
      }
    }
    List<GraphEdge> allEdges = new ArrayList<>();
    for (String line : edges.split("\n", -1)) {
      List<String> fields = List.of(line.split(FIELD, -1));
      if (fields.size() > 2) {
        allEdges.add(
            new GraphEdge(
                Integer.parseInt(fields.get(0)),
                Integer.parseInt(fields.get(1)),
                fields.subList(2, fields.size())));
      }
    }
    return new GraphStructure(number, name, allNodes, allEdges);
  }

  private static String plain(String text) {
    return text.replace('\t', ' ').replace('\n', ' ');
  }
}
