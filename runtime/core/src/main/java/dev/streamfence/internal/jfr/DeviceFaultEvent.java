package dev.streamfence.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** An error that ends the use of the device. */
@Name(DeviceFaultEvent.NAME)
@Label("Device Fault")
@Description("An error that ends the use of the device")
final class DeviceFaultEvent extends FlightEvent {
  static final String NAME = FlightEvents.PREFIX + "DeviceFault";
  static final DeviceFaultEvent PROBE = new DeviceFaultEvent();

  @Label("Call")
  @Description("The driver call that reported it")
  String call = "";

  @Label("Code")
  String code = "";

  @Label("Purpose")
  String purpose = "";

  @Label("Outstanding")
  @Description("The work that was not known to be done, one line each")
  String outstanding = "";
}
