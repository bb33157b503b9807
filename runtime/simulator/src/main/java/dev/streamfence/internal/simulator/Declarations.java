package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The declarations of each thread: for its next launch, and for a call of other code. Thread-safe.
 */
final class Declarations implements LaunchObserver {
  /** One declaration. Immutable. */
  record LaunchDeclaration(String purpose, StreamHandle stream, long ticket, List<Use> uses) {}

  private final Map<Thread, LaunchDeclaration> next = new ConcurrentHashMap<>();
  private final Map<Thread, LaunchDeclaration> scopes = new ConcurrentHashMap<>();

  @Override
  public void numbered(StreamHandle stream, int number) {
    ((SimulatedStream) stream).setNumber(number);
  }

  @Override
  public void launching(String purpose, StreamHandle stream, long ticket, List<Use> uses) {
    next.put(
        Thread.currentThread(), new LaunchDeclaration(purpose, stream, ticket, List.copyOf(uses)));
  }

  @Override
  public void submitting(String purpose, StreamHandle stream, long ticket, List<Use> uses) {
    scopes.put(
        Thread.currentThread(), new LaunchDeclaration(purpose, stream, ticket, List.copyOf(uses)));
  }

  @Override
  public void submitted() {
    scopes.remove(Thread.currentThread());
  }

  /** The declaration that holds for the work of other code, if it is for this stream. */
  @Nullable LaunchDeclaration scope(StreamHandle stream) {
    LaunchDeclaration scope = scopes.get(Thread.currentThread());
    return scope != null && scope.stream() == stream ? scope : null;
  }

  /** Removes the calling thread's declaration, and returns it if it is for this stream. */
  @Nullable LaunchDeclaration take(StreamHandle stream) {
    LaunchDeclaration declaration = next.remove(Thread.currentThread());
    return declaration != null && declaration.stream() == stream ? declaration : null;
  }
}
