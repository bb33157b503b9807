package dev.streamfence.internal.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** What the events of work on a stream have in common. */
abstract class WorkEvent extends FlightEvent {
  @Label("Device")
  @Description("The runtime, with the name and the number of its device")
  String device = "";

  @Label("Stream")
  int stream;

  @Label("Stream Name")
  String streamName = "";

  @Label("First Ticket")
  @Description("Less than the ticket for work in parts")
  long firstTicket;

  @Label("Ticket")
  @Description("The place among the work of the stream")
  long ticket;

  @Label("Queued")
  @Description("Whether it has reached the device")
  boolean queued;

  @Label("Uses")
  @Description("Per array and line: access, parameter, tag and memory")
  String uses = "";

  /** A kernel is put on a stream. */
  @Name(KernelLaunchEvent.NAME)
  @Label("Kernel Launch")
  @Description("A kernel is put on a stream; the duration is that of the submission by the host")
  static final class KernelLaunchEvent extends WorkEvent {
    static final String NAME = FlightEvents.PREFIX + "KernelLaunch";
    static final KernelLaunchEvent PROBE = new KernelLaunchEvent();

    @Label("Kernel")
    @Description("The method that declares the kernel, or its entry point")
    String kernel = "";

    @Label("Shape")
    @Description("The blocks of the grid, and the threads of a block")
    String shape = "";
  }

  /** A copy or a fill is put on a stream. */
  @Name(TransferEvent.NAME)
  @Label("Transfer")
  @Description(
      "A copy or a fill is put on a stream; the duration is that of the submission by the host")
  static final class TransferEvent extends WorkEvent {
    static final String NAME = FlightEvents.PREFIX + "Transfer";
    static final TransferEvent PROBE = new TransferEvent();

    @Label("Direction")
    @Description("UPLOAD, DOWNLOAD, COPY or FILL")
    String kind = "";

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Host Memory")
    @Description("Pageable or pinned")
    String detail = "";
  }

  /** Work that is neither a launch nor a transfer is put on a stream. */
  @Name(StreamWorkEvent.NAME)
  @Label("Other Work on a Stream")
  @Description("A graph, an allocation or a free in stream order, or a call of other code")
  static final class StreamWorkEvent extends WorkEvent {
    static final String NAME = FlightEvents.PREFIX + "StreamWork";
    static final StreamWorkEvent PROBE = new StreamWorkEvent();

    @Label("Kind")
    @Description("ALLOCATION, FREE, GRAPH, CALL or OTHER")
    String kind = "";

    @Label("Work")
    String work = "";

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Detail")
    String detail = "";

    @Label("Graph")
    @Description("The number of the graph that runs; 0 for other work")
    long graph;
  }
}
