package dev.streamfence.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A graph is recorded. */
@Name(GraphRecordingEvent.NAME)
@Label("Graph Recording")
@Description("A graph is recorded, from the beginning of its code until it can be launched")
final class GraphRecordingEvent extends FlightEvent {
  static final String NAME = FlightEvents.PREFIX + "GraphRecording";
  static final GraphRecordingEvent PROBE = new GraphRecordingEvent();

  @Label("Graph")
  @Description("Its number in this process, which its launches have as well")
  long graph;

  @Label("Graph Name")
  String graphName = "";

  @Label("Node Count")
  int nodeCount;

  @Label("Edge Count")
  int edgeCount;

  @Label("Implied Edges")
  @Description("How many edges were left out, because others imply them")
  int impliedEdges;

  @Label("Nodes")
  @Description(
      "Per node and line: kind, name, detail, bytes, stream and the number of its condition or -1")
  String nodes = "";

  @Label("Edges")
  @Description("Per edge and line: from, to and reasons")
  String edges = "";
}
