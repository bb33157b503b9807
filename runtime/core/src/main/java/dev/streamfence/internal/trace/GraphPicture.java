package dev.streamfence.internal.trace;

import dev.streamfence.graph.GraphEdge;
import dev.streamfence.graph.GraphNode;
import dev.streamfence.graph.GraphStructure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A graph as text for Graphviz, in words, and as a picture: nodes in rows, each below all that it
 * comes after. A dashed line leads from a condition to each node that it repeats or leaves out.
 * Confined to one thread.
 */
public final class GraphPicture {
  private static final int WIDTH = 180;
  private static final int HEIGHT = 44;
  private static final int GAP_X = 24;
  private static final int GAP_Y = 46;

  private final String name;
  private final List<GraphNode> nodes;
  private final List<GraphEdge> edges;
  private final Map<Integer, List<GraphEdge>> edgesTo;

  /** Shows a graph. */
  public GraphPicture(GraphStructure graph) {
    this.name = graph.name();
    this.nodes = graph.nodes();
    this.edges = graph.edges();
    this.edgesTo = edges.stream().collect(Collectors.groupingBy(GraphEdge::to));
  }

  /** The graph in the language of Graphviz. */
  public String dot() {
    StringBuilder dot = new StringBuilder("digraph " + quoted(name) + " {\n  node [shape=box];\n");
    for (GraphNode node : nodes) {
      dot.append("  n" + node.index() + " [label=" + quoted(label(node)) + "];\n");
      if (node.parent() >= 0) {
        dot.append("  n" + node.parent() + " -> n" + node.index() + " [style=dashed];\n");
      }
    }
    for (GraphEdge edge : edges) {
      dot.append("  n" + edge.from() + " -> n" + edge.to());
      dot.append(" [label=" + quoted(String.join("\n", edge.reasons())) + "];\n");
    }
    return dot.append("}\n").toString();
  }

  private static String label(GraphNode node) {
    String what = what(node);
    return node.index() + " " + node.name() + (what.isEmpty() ? "" : "\n" + what);
  }

  private static String what(GraphNode node) {
    return node.bytes() > 0 ? node.bytes() + " bytes" : node.detail();
  }

  private static String quoted(String text) {
    return '"'
        + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\r", "")
        + '"';
  }

  /** One line for each node, and below it one for each edge that leads to it. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (GraphNode node : nodes) {
      String what = what(node);
      lines.add(node.index() + " " + node.name() + (what.isEmpty() ? "" : " (" + what + ")"));
      if (node.parent() >= 0) {
        lines.add("  is decided by " + node.parent());
      }
      for (GraphEdge edge : edgesTo(node)) {
        lines.add("  comes after " + edge.from() + ": " + String.join("; ", edge.reasons()));
      }
    }
    return lines;
  }

  private List<GraphEdge> edgesTo(GraphNode node) {
    return edgesTo.getOrDefault(node.index(), List.of());
  }

  /** The picture. */
  public String svg() {
    int[] rows = rows();
    int[] columns = new int[nodes.size()];
    List<Integer> lengths = new ArrayList<>();
    for (int i = 0; i < rows.length; i++) {
      while (lengths.size() <= rows[i]) {
        lengths.add(0);
      }
      columns[i] = lengths.get(rows[i]);
      lengths.set(rows[i], columns[i] + 1);
    }
    int widest = lengths.stream().mapToInt(Integer::intValue).max().orElse(1);
    StringBuilder svg = new StringBuilder();
    int width = GAP_X + widest * (WIDTH + GAP_X);
    int height = GAP_Y + lengths.size() * (HEIGHT + GAP_Y);
    svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" width=\"");
    svg.append(width).append("\" height=\"").append(height).append("\" viewBox=\"0 0 ");
    svg.append(width).append(" ").append(height).append("\">\n");
    svg.append("<title>").append(escaped(name)).append("</title>\n");
    svg.append("<defs><marker id=\"end\" orient=\"auto\" markerWidth=\"8\" markerHeight=\"8\"");
    svg.append(" refX=\"8\" refY=\"4\"><path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n");
    for (GraphEdge edge : edges) {
      String reasons = String.join("\n", edge.reasons());
      line(svg, edge.from(), edge.to(), rows, columns, "marker-end=\"url(#end)\"", reasons);
    }
    for (GraphNode node : nodes) {
      if (node.parent() >= 0) {
        String reason = "decided by " + nodes.get(node.parent()).name();
        line(svg, node.parent(), node.index(), rows, columns, "stroke-dasharray=\"4\"", reason);
      }
    }
    for (GraphNode node : nodes) {
      draw(svg, node, x(columns[node.index()]), y(rows[node.index()]));
    }
    return svg.append("</svg>\n").toString();
  }

  private static void line(
      StringBuilder svg, int from, int to, int[] rows, int[] columns, String style, String reason) {
    int fromX = x(columns[from]) + WIDTH / 2;
    int fromY = y(rows[from]) + HEIGHT;
    int toX = x(columns[to]) + WIDTH / 2;
    int toY = y(rows[to]);
    int bend = (toY - fromY) / 2;
    svg.append("<path fill=\"none\" stroke=\"#555\" " + style + " d=\"M");
    svg.append(fromX + "," + fromY + " C" + fromX + "," + (fromY + bend) + " ");
    svg.append(toX + "," + (toY - bend) + " " + toX + "," + toY + "\"><title>");
    svg.append(escaped(reason)).append("</title></path>\n");
  }

  private void draw(StringBuilder svg, GraphNode node, int x, int y) {
    svg.append("<g><title>").append(escaped(reasons(node))).append("</title>");
    svg.append("<rect rx=\"6\" fill=\"#eef3fb\" stroke=\"#456\" x=\"" + x + "\" y=\"" + y + "\"");
    svg.append(" width=\"" + WIDTH + "\" height=\"" + HEIGHT + "\"/>");
    text(svg, x, y + 18, 13, node.index() + " " + node.name());
    text(svg, x, y + 34, 10, what(node));
    svg.append("</g>\n");
  }

  private static void text(StringBuilder svg, int x, int y, int size, String text) {
    svg.append("<text x=\"" + (x + 8) + "\" y=\"" + y + "\" font-size=\"" + size + "\">");
    svg.append(escaped(text)).append("</text>");
  }

  private String reasons(GraphNode node) {
    String reasons =
        edgesTo(node).stream()
            .flatMap(edge -> edge.reasons().stream())
            .collect(Collectors.joining("\n"));
    return reasons.isEmpty() ? "waits for nothing in the graph" : reasons;
  }

  private static int x(int column) {
    return GAP_X + column * (WIDTH + GAP_X);
  }

  private static int y(int row) {
    return GAP_Y / 2 + row * (HEIGHT + GAP_Y);
  }

  /** The row of each node: below the lowest that it comes after, and below its condition. */
  private int[] rows() {
    int[] rows = new int[nodes.size()];
    for (GraphNode node : nodes) {
      // A node waits for earlier ones, and comes behind its condition.
      int row = node.parent() < 0 ? 0 : rows[node.parent()] + 1;
      for (GraphEdge edge : edgesTo(node)) {
        row = Math.max(row, rows[edge.from()] + 1);
      }
      rows[node.index()] = row;
    }
    return rows;
  }

  private static String escaped(String text) {
    // XML has no other control characters, and a name or a tag may have any.
    String printable = text.replaceAll("[\\p{Cntrl}&&[^\n\t]]", " ");
    return printable.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
