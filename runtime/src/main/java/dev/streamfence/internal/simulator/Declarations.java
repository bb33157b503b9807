package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.LaunchObserver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The declaration of each thread for its next launch. Thread-safe. */
final class Declarations implements LaunchObserver {
  /** One declaration. Immutable. */
  record LaunchDeclaration(String purpose, StreamHandle stream, long ticket, List<Use> uses) {}

  private final Map<Thread, LaunchDeclaration> next = new ConcurrentHashMap<>();

  @Override
  public void numbered(StreamHandle stream, int number) {
    ((SimulatedStream) stream).setNumber(number);
  }

  @Override
  public void launching(String purpose, StreamHandle stream, long ticket, List<Use> uses) {
    next.put(
        Thread.currentThread(), new LaunchDeclaration(purpose, stream, ticket, List.copyOf(uses)));
  }

  /** Removes the calling thread's declaration, and returns it if it is for this stream. */
  @Nullable LaunchDeclaration take(StreamHandle stream) {
    LaunchDeclaration declaration = next.remove(Thread.currentThread());
    return declaration != null && declaration.stream() == stream ? declaration : null;
  }
}
