package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.streamfence.KernelArgumentException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Checks of the fields of a refusal: its kind, the kernel and the parameter. The message names
 * both.
 */
final class Refusals {
  private Refusals() {}

  static void assertRefused(
      ThrowingCallable launch,
      KernelArgumentException.Mistake kind,
      String kernel,
      String parameter) {
    KernelArgumentException refusal = thrown(launch, KernelArgumentException.class);
    require(
        refusal,
        List.of(kind, kernel, parameter),
        refusal.kind(),
        refusal.kernel(),
        refusal.parameter());
  }

  static void assertRefused(
      ThrowingCallable launch, StreamMisuseException.Misuse kind, String kernel, String parameter) {
    StreamMisuseException refusal = thrown(launch, StreamMisuseException.class);
    require(
        refusal,
        List.of(kind, kernel, parameter),
        refusal.kind(),
        refusal.kernel(),
        refusal.parameter());
  }

  static void assertRefused(
      ThrowingCallable launch, UseAfterFreeException.Ending kind, String kernel, String parameter) {
    UseAfterFreeException refusal = thrown(launch, UseAfterFreeException.class);
    require(
        refusal,
        List.of(kind, kernel, parameter),
        refusal.kind(),
        refusal.kernel(),
        refusal.parameter());
  }

  private static <T> T thrown(ThrowingCallable launch, Class<T> type) {
    Throwable thrown = catchThrowable(launch);
    assertThat(thrown).isInstanceOf(type);
    return type.cast(thrown);
  }

  private static void require(
      Throwable refusal, List<Object> expected, Enum<?> kind, String kernel, String parameter) {
    assertThat(List.<Object>of(kind, kernel, parameter)).as(refusal.toString()).isEqualTo(expected);
    assertThat(refusal).hasMessageContaining(kernel).hasMessageContaining(parameter);
  }
}
