package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.internal.Undeclared;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Steps of which each is carried out, whatever the others throw. */
final class TeardownTest {
  private final Teardown teardown = new Teardown();
  private final List<String> done = new ArrayList<>();

  private void step(String name, Throwable failure) {
    teardown.step(
        () -> {
          done.add(name);
          if (failure != null) {
            throw Undeclared.thrown(failure);
          }
        });
  }

  @Test
  void withoutAFailureNothingIsThrown() {
    step("one", null);
    step("two", null);
    Exception other = new Exception("elsewhere");
    teardown.suppressIn(other);
    teardown.finish();
    assertThat(done).containsExactly("one", "two");
    assertThat(teardown.hasFailed()).isFalse();
    assertThat(other.getSuppressed()).isEmpty();
  }

  @Test
  void theFirstFailureIsThrownWithTheLaterOnes() {
    RuntimeException first = new IllegalStateException("first");
    Error second = new AssertionError("second");
    step("one", first);
    step("two", second);
    step("again", first);
    step("three", null);
    assertThat(done).containsExactly("one", "two", "again", "three");
    assertThat(teardown.hasFailed()).isTrue();
    assertThatThrownBy(teardown::finish).isSameAs(first);
    assertThat(first.getSuppressed()).containsExactly(second);
  }

  @Test
  void anErrorIsThrownAsItIs() {
    Error error = new OutOfMemoryError("the heap");
    step("one", error);
    assertThatThrownBy(teardown::finish).isSameAs(error);
  }

  /** The code of a user in Kotlin or Scala may throw it. */
  @Test
  void aCheckedExceptionEndsNoLaterStepAndIsThrownAsItIs() {
    Exception checked = new IOException("the disk");
    step("one", checked);
    step("two", null);
    assertThat(done).containsExactly("one", "two");
    assertThatThrownBy(teardown::finish).isSameAs(checked);
  }

  @Test
  void aFailureIsNotAddedToItself() {
    RuntimeException first = new IllegalStateException("first");
    step("one", first);
    teardown.suppressIn(first);
    assertThat(first.getSuppressed()).isEmpty();
  }

  @Test
  void theFirstFailureIsAddedToAnotherOne() {
    RuntimeException first = new IllegalStateException("first");
    step("one", first);
    Exception other = new Exception("elsewhere");
    teardown.suppressIn(other);
    assertThat(other.getSuppressed()).containsExactly(first);
  }
}
