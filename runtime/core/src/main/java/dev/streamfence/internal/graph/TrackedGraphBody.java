package dev.streamfence.internal.graph;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.graph.GraphBody;
import dev.streamfence.graph.GraphCode;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.recording.RecordedGraph;
import java.util.Objects;

/** The implementation of {@link GraphBody}. */
public final class TrackedGraphBody implements GraphBody {
  private final Thread thread = Thread.currentThread();
  private final TrackedRuntime runtime;
  private final RecordedGraph recording;
  private final GraphInputs inputs;
  private volatile boolean isEnded;

  TrackedGraphBody(TrackedRuntime runtime, RecordedGraph recording, GraphInputs inputs) {
    this.runtime = runtime;
    this.recording = recording;
    this.inputs = inputs;
  }

  @Override
  public <R extends ReadableArray<?>> R input(String name, R array) {
    requireActive("an input");
    ReadableArray<?> passed = Objects.requireNonNull(array, "array");
    inputs.add(Objects.requireNonNull(name, "name"), TrackedArray.of(passed));
    return array;
  }

  @Override
  public <A> DeviceArray<A> scratch(DeviceStream stream, Class<A> arrayType, long length) {
    requireActive("scratch memory");
    DeviceArray<A> array = runtime.memory().allocate(stream, arrayType, length, "");
    recording.memory().closeAtEnd(array::close);
    return array;
  }

  @Override
  public <X extends Exception> void whileNonZero(ReadableArray<int[]> number, GraphCode<X> code)
      throws X {
    new RecordedCondition(runtime, recording, true, number).record(this, code);
  }

  @Override
  public <X extends Exception> void ifNonZero(ReadableArray<int[]> number, GraphCode<X> code)
      throws X {
    new RecordedCondition(runtime, recording, false, number).record(this, code);
  }

  void end() {
    isEnded = true;
  }

  /** Throws after the code has returned, and in other threads. */
  void requireActive(String what) {
    if (isEnded || thread != Thread.currentThread()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OUT_OF_SCOPE,
          what + " of " + recording + " after its code has returned, or in another thread");
    }
  }
}
