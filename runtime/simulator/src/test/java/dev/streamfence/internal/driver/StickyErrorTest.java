package dev.streamfence.internal.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import org.junit.jupiter.api.Test;

/** Every thread sees the first error that ends a context. */
final class StickyErrorTest {
  private static final int NOT_STICKY = 1;
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int LAUNCH_FAILED = 719;

  private final StickyError faults = new StickyError();

  private static CudaDriverException error(int code) {
    return new CudaDriverException("cuLaunchKernel", code, "CUDA_ERROR_" + code);
  }

  private void assertLostTo(int code, String purpose) {
    assertThat(faults.error().code()).isEqualTo(code);
    assertThat(faults.error().purpose()).contains(purpose);
    assertThatThrownBy(faults::check)
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> {
              assertThat(e.code()).isEqualTo(code);
              assertThat(e.getCause()).isSameAs(faults.error());
            });
  }

  @Test
  void aLaterStickyErrorDoesNotReplaceTheFirst() {
    faults.keep(error(ILLEGAL_ADDRESS)).during("the first");
    faults.keep(error(LAUNCH_FAILED)).during("the second");
    assertLostTo(ILLEGAL_ADDRESS, "the first");
  }

  @Test
  void aLaterLossOfOrderDoesNotReplaceTheFirstError() {
    faults.keep(error(ILLEGAL_ADDRESS)).during("the first");
    faults.declareLost(error(NOT_STICKY), "the second");
    faults.declareLost(new IllegalStateException("as planned"), "the third");
    assertLostTo(ILLEGAL_ADDRESS, "the first");
  }

  @Test
  void aLossOfOrderIsKeptLikeAStickyErrorWhateverItsKind() {
    faults.declareLost(error(NOT_STICKY), "the first");
    faults.keep(error(ILLEGAL_ADDRESS)).during("the second");
    assertLostTo(NOT_STICKY, "the first");
  }

  @Test
  void aSwallowedErrorIsNotKnownUntilACallerHasHadIt() {
    assertThat(faults.isKnownToCallers()).isFalse();
    faults.swallowed(faults.keep(error(ILLEGAL_ADDRESS)));
    assertThat(faults.isKnownToCallers()).isFalse();
    faults.swallowed(checked());
    assertThat(faults.isKnownToCallers()).isFalse();
    checked();
    assertThat(faults.isKnownToCallers()).isTrue();
    faults.swallowed(checked());
    assertThat(faults.isKnownToCallers()).isTrue();
  }

  @Test
  void anErrorThatIsThrownAtOnceIsKnown() {
    faults.keep(error(ILLEGAL_ADDRESS));
    assertThat(faults.isKnownToCallers()).isTrue();
    faults.swallowed(checked());
    assertThat(faults.isKnownToCallers()).isTrue();
  }

  private CudaDriverException checked() {
    return catchThrowableOfType(CudaDriverException.class, faults::check);
  }

  @Test
  void anErrorThatIsNotStickyIsNotKept() {
    CudaDriverException noted = faults.keep(error(NOT_STICKY)).during("the first");
    assertThat(noted.purpose()).contains("the first");
    assertThat(faults.error()).isNull();
    faults.check();
  }
}
