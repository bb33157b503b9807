package dev.streamfence.examples.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class TemporariesTest {
  private final List<String> closed = new ArrayList<>();

  private AutoCloseable named(String name) {
    return () -> closed.add(name);
  }

  private AutoCloseable failing(Exception failure) {
    return () -> {
      throw failure;
    };
  }

  private static void with(Consumer<Temporaries> operation) {
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        Temporaries temporaries = new Temporaries(stream)) {
      operation.accept(temporaries);
    }
  }

  @Test
  void theLatestIsClosedFirstAndWhatIsHandedOverNever() {
    with(
        temporaries -> {
          temporaries.add(named("a"));
          temporaries.handOver(temporaries.add(named("b")));
          temporaries.add(named("c"));
        });
    assertThat(closed).containsExactly("c", "a");
  }

  @Test
  void whatIsKeptSinceAMarkIsClosedInTheEnd() {
    with(
        temporaries -> {
          temporaries.add(named("before"));
          int mark = temporaries.count();
          AutoCloseable kept = temporaries.add(named("kept"));
          temporaries.add(named("part"));
          temporaries.closeSince(mark, kept, null);
          assertThat(closed).containsExactly("part");
        });
    assertThat(closed).containsExactly("part", "kept", "before");
  }

  @Test
  void afterAFailureTheOthersAreClosedToo() {
    IllegalArgumentException second = new IllegalArgumentException("second");
    assertThatThrownBy(
            () ->
                with(
                    temporaries -> {
                      temporaries.add(named("a"));
                      temporaries.add(failing(second));
                      temporaries.add(named("b"));
                      temporaries.add(
                          () -> {
                            throw new OutOfMemoryError("as planned");
                          });
                    }))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("as planned")
        .hasSuppressedException(second);
    assertThat(closed).containsExactly("b", "a");
  }

  @Test
  void aCheckedExceptionIsTheCauseOfAnother() {
    IOException checked = new IOException("as planned");
    assertThatThrownBy(() -> with(temporaries -> temporaries.add(failing(checked))))
        .isInstanceOf(IllegalStateException.class)
        .hasCause(checked);
  }
}
