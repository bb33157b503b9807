package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A copy or a fill is put on a stream. */
@Name(TransferEvent.NAME)
@Label("Transfer")
@Description(
    "A copy or a fill is put on a stream; the duration is that of the submission by the host")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class TransferEvent extends WorkEvent {
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
