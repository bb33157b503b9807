package dev.streamfence.simulation;

import dev.streamfence.simulation.SimulatedStream.Operation;
import dev.streamfence.simulation.SimulatedStream.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Decides which stream's next operation is carried out, and when. Confined to the driver's lock.
 */
final class Scheduler {
  private final Schedule schedule;
  private final Random random;
  private final List<SimulatedStream> streams = new ArrayList<>();

  Scheduler(Schedule schedule, long seed) {
    this.schedule = schedule;
    this.random = new Random(seed);
  }

  void add(SimulatedStream stream) {
    streams.add(stream);
  }

  /** Removes a stream after carrying out what is queued on it. */
  void remove(SimulatedStream stream) {
    drain(stream);
    streams.remove(stream);
  }

  boolean has(SimulatedStream stream) {
    return streams.contains(stream);
  }

  int count() {
    return streams.size();
  }

  void forEach(Consumer<SimulatedStream> action) {
    streams.forEach(action);
  }

  void enqueue(SimulatedStream stream, Operation operation) {
    stream.add(operation);
    advance();
  }

  /** Lets time pass: the host called the driver. */
  void advance() {
    switch (schedule) {
      case EAGER -> runAllReady();
      case LAZY -> {}
      case RANDOM -> runSomeReady();
    }
  }

  /**
   * Lets some time pass for a stream that the host asks after, so that asking again and again gets
   * an end.
   */
  void poll(SimulatedStream stream) {
    if (schedule == Schedule.LAZY) {
      advanceOnce(stream);
    } else {
      advance();
    }
  }

  /** Carries out everything that is queued on a stream, and what it waits for. */
  void drain(SimulatedStream stream) {
    while (!stream.isIdle()) {
      advanceOnce(stream);
    }
  }

  void drainAll() {
    for (SimulatedStream stream : List.copyOf(streams)) {
      drain(stream);
    }
  }

  /** Carries out what has to be done for a point to be reached. */
  void reach(Point point) {
    while (!point.isReached()) {
      advanceOnce(point.stream());
    }
  }

  void abandonAll() {
    streams.forEach(SimulatedStream::abandon);
  }

  private void advanceOnce(SimulatedStream stream) {
    // A wait is only ever for something that was queued before it, so that following waits comes to
    // an end.
    SimulatedStream current = stream;
    Point blocker = current.blockedBy();
    while (blocker != null) {
      current = blocker.stream();
      blocker = current.blockedBy();
    }
    if (!current.isIdle()) {
      current.step();
    }
  }

  private void runAllReady() {
    boolean progress = true;
    while (progress) {
      progress = false;
      for (SimulatedStream stream : List.copyOf(streams)) {
        while (stream.isReady()) {
          stream.step();
          progress = true;
        }
      }
    }
  }

  private void runSomeReady() {
    List<SimulatedStream> ready = new ArrayList<>();
    while (random.nextBoolean()) {
      ready.clear();
      for (SimulatedStream stream : streams) {
        if (stream.isReady()) {
          ready.add(stream);
        }
      }
      if (ready.isEmpty()) {
        return;
      }
      ready.get(random.nextInt(ready.size())).step();
    }
  }
}
