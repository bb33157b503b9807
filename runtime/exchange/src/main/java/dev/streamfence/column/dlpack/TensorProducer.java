package dev.streamfence.column.dlpack;

import dev.streamfence.foreign.ForeignMemory;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * How the owner of a tensor orders its own work on it, which the tensor itself does not say.
 * Immutable.
 */
public final class TensorProducer {
  private final UnaryOperator<ForeignMemory> order;

  private TensorProducer(UnaryOperator<ForeignMemory> order) {
    this.order = order;
  }

  /**
   * The owner works on a stream: the runtime's first use waits for the work that is queued there
   * now, and work that the owner queues there after the deleter has run waits for the runtime's
   * last use. So the deleter runs without waiting for the device.
   *
   * @param stream a {@code CUstream} or {@code cudaStream_t}, which exists until the deleter runs;
   *     0 or 1 for the legacy default stream
   * @throws IllegalArgumentException if it is 2, which is a different stream in each thread
   */
  public static TensorProducer onStream(long stream) {
    if (stream == 2) {
      throw new IllegalArgumentException(
          "a producer on stream 2, the default stream of each thread, is ordered by an event that"
              + " the thread records: afterEvent");
    }
    return new TensorProducer(memory -> memory.readyAfterStream(stream).returnedTo(stream));
  }

  /**
   * The owner's work ends with an event. The deleter runs when the runtime's last use is done.
   *
   * @param event a {@code CUevent} or {@code cudaEvent_t}, recorded before the adoption, during
   *     which it exists
   * @throws IllegalArgumentException if it is 0
   */
  public static TensorProducer afterEvent(long event) {
    if (event == 0) {
      throw new IllegalArgumentException("the event after which a tensor is ready is null");
    }
    return new TensorProducer(memory -> memory.readyAfterEvent(event));
  }

  /**
   * The owner's work is done, or the owner has made the adopting stream wait for it: Python's
   * {@code __dlpack__(stream=…)} does so for the stream that it is given. The deleter runs when the
   * runtime's last use is done.
   */
  public static TensorProducer done() {
    return new TensorProducer(ForeignMemory::alreadyReady);
  }

  /** Adds the order to the description of the tensor's memory. */
  public ForeignMemory order(ForeignMemory memory) {
    return order.apply(Objects.requireNonNull(memory, "memory"));
  }
}
