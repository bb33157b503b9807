package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * A test that hangs fails, in every module. The parent POM sets the limit and its enforcement as
 * system properties; this test only shortens the limit.
 */
final class TimeLimitTest {
  private static final String LIMIT = "junit.jupiter.execution.timeout.default";
  private static final String THREAD_DUMP = "junit.jupiter.execution.timeout.threaddump.enabled";

  /** The test holds this lock while the hanging tests wait for it. */
  private static final ReentrantLock LOCK = new ReentrantLock();

  // Nested, and so found by neither Surefire nor the bundle.
  static final class HangingTest {
    @Test
    void waitsForALock() {
      LOCK.lock();
      LOCK.unlock();
    }
  }

  static final class HangingSetUp {
    @BeforeEach
    void waitsForALock() {
      LOCK.lock();
      LOCK.unlock();
    }

    @Test
    void neverStarts() {}
  }

  @ParameterizedTest
  @ValueSource(classes = {HangingTest.class, HangingSetUp.class})
  void aTestThatHangsFailsAndIsNamed(Class<?> hanging) {
    assumeTrue(isRunByMaven(), "the limits come from the parent POM");
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(hanging))
            .configurationParameter(LIMIT, "100 ms")
            .configurationParameter(THREAD_DUMP, "false")
            .build();

    LOCK.lock();
    try {
      LauncherFactory.create().execute(request, listener);
    } finally {
      LOCK.unlock();
    }

    assertThat(listener.getSummary().getFailures())
        .singleElement()
        .satisfies(
            failure ->
                assertThat(failure.getException())
                    .isInstanceOf(TimeoutException.class)
                    .hasMessageContaining("waitsForALock() timed out after 100 milliseconds"));
  }

  @Test
  void everyTestHasALimitAndSaysWhatAllThreadsDoWhenItIsOver() {
    assumeTrue(isRunByMaven(), "the limits come from the parent POM");

    assertThat(System.getProperty(LIMIT)).matches("\\d+ s");
    assertThat(System.getProperty(THREAD_DUMP)).isEqualTo("true");
  }

  /** Surefire sets a property of its own. */
  private static boolean isRunByMaven() {
    return System.getProperty("basedir") != null;
  }
}
