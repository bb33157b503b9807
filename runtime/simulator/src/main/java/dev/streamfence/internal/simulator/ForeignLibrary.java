package dev.streamfence.internal.simulator;

import dev.streamfence.simulation.SimulatedKernel;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.Objects;

/** The implementation of {@link SimulatedLibrary}: its name, and the device that it uses. */
public final class ForeignLibrary implements SimulatedLibrary {
  private final SimulatedHardware device;
  private final String name;

  ForeignLibrary(SimulatedHardware device, String name) {
    this.device = device;
    this.name = Objects.requireNonNull(name, "name");
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long createStream() {
    return device.driver().foreign(calls -> calls.createStream(this));
  }

  @Override
  public void destroyStream(long stream) {
    device.driver().foreign(calls -> calls.destroyStream(this, stream));
  }

  @Override
  public void synchronize(long stream) {
    device.driver().foreign(calls -> calls.synchronize(stream));
  }

  @Override
  public void beginCapture(long stream) {
    device.driver().foreign(calls -> calls.beginCapture(stream));
  }

  @Override
  public int endCapture(long stream) {
    return (int) device.driver().foreign(calls -> calls.endCapture(stream));
  }

  @Override
  public long createEvent() {
    return device.driver().foreign(calls -> calls.createEvent(this));
  }

  @Override
  public void destroyEvent(long event) {
    device.driver().foreign(calls -> calls.destroyEvent(this, event));
  }

  @Override
  public void recordEvent(long event, long stream) {
    device.driver().foreign(calls -> calls.recordEvent(event, stream));
  }

  @Override
  public void waitForEvent(long stream, long event) {
    device.driver().foreign(calls -> calls.waitForEvent(stream, event));
  }

  @Override
  public boolean isDone(long event) {
    return device.driver().foreign(calls -> calls.isDone(event)) != 0;
  }

  @Override
  public long allocate(long bytes) {
    return device.driver().foreign(calls -> calls.allocate(this, bytes));
  }

  @Override
  public void free(long address) {
    device.driver().foreign(calls -> calls.free(this, address));
  }

  @Override
  public void free(long address, long stream) {
    device.driver().foreign(calls -> calls.free(this, address, stream));
  }

  @Override
  public void launch(long stream, String kernel, SimulatedKernel code) {
    Objects.requireNonNull(kernel, "kernel");
    Objects.requireNonNull(code, "code");
    device.driver().foreign(calls -> calls.launch(this, stream, kernel, code));
  }

  @Override
  public String toString() {
    return "library " + name;
  }
}
