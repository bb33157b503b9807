package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import org.junit.jupiter.api.Test;

/** The first error that ends a context is the one that everybody is told. */
final class FaultLatchTest {
  private static final int NOT_STICKY = 1;
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int LAUNCH_FAILED = 719;

  private final FaultLatch faults = new FaultLatch();

  private static CudaDriverException error(int code) {
    return new CudaDriverException("cuLaunchKernel", code, "CUDA_ERROR_" + code);
  }

  private void assertLostTo(int code, String purpose) {
    assertThat(faults.fault().code()).isEqualTo(code);
    assertThat(faults.fault().purpose()).contains(purpose);
    assertThatThrownBy(faults::check)
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> {
              assertThat(e.code()).isEqualTo(code);
              assertThat(e.getCause()).isSameAs(faults.fault());
            });
  }

  @Test
  void aLaterStickyErrorDoesNotTakeThePlaceOfTheFirst() {
    faults.note(error(ILLEGAL_ADDRESS), "the first");
    faults.note(error(LAUNCH_FAILED), "the second");
    assertLostTo(ILLEGAL_ADDRESS, "the first");
  }

  @Test
  void aLaterLossOfOrderDoesNotTakeThePlaceOfTheFirstError() {
    faults.note(error(ILLEGAL_ADDRESS), "the first");
    faults.poison(error(NOT_STICKY), "the second");
    faults.poison(new IllegalStateException("as planned"), "the third");
    assertLostTo(ILLEGAL_ADDRESS, "the first");
  }

  @Test
  void aLossOfOrderIsKeptLikeAStickyErrorWhateverItsKind() {
    faults.poison(error(NOT_STICKY), "the first");
    faults.note(error(ILLEGAL_ADDRESS), "the second");
    assertLostTo(NOT_STICKY, "the first");
  }

  @Test
  void anErrorThatEndsNothingIsNotKept() {
    CudaDriverException noted = faults.note(error(NOT_STICKY), "the first");
    assertThat(noted.purpose()).contains("the first");
    assertThat(faults.fault()).isNull();
    faults.check();
  }
}
