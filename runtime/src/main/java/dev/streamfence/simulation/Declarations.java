package dev.streamfence.simulation;

import dev.streamfence.driver.CudaDriver.StreamHandle;
import dev.streamfence.driver.LaunchObserver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What each thread has declared about the launch that it is about to make. Thread-safe. */
final class Declarations implements LaunchObserver {
  /** One declaration. Immutable. */
  record Declaration(String purpose, StreamHandle stream, long ticket, List<Use> uses) {}

  private final Map<Thread, Declaration> next = new ConcurrentHashMap<>();

  @Override
  public void launching(String purpose, StreamHandle stream, long ticket, List<Use> uses) {
    next.put(Thread.currentThread(), new Declaration(purpose, stream, ticket, List.copyOf(uses)));
  }

  /** Takes the calling thread's declaration, if it is one for this stream. */
  @Nullable Declaration take(StreamHandle stream) {
    Declaration declaration = next.remove(Thread.currentThread());
    return declaration != null && declaration.stream() == stream ? declaration : null;
  }
}
