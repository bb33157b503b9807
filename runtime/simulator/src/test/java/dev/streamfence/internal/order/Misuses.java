package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import java.util.function.Consumer;

/** Checks of a refusal by its fields, for {@code satisfies}. */
public final class Misuses {
  private Misuses() {}

  public static Consumer<Throwable> misuse(Misuse kind) {
    return thrown ->
        assertThat(thrown)
            .asInstanceOf(type(StreamMisuseException.class))
            .extracting(StreamMisuseException::kind)
            .isEqualTo(kind);
  }

  /** Of a launch, which names its kernel and the parameter at fault. */
  public static Consumer<Throwable> misuse(Misuse kind, String kernel, String parameter) {
    return thrown ->
        assertThat(thrown)
            .satisfies(misuse(kind))
            .asInstanceOf(type(StreamMisuseException.class))
            .satisfies(
                refused -> {
                  assertThat(refused.kernel()).isEqualTo(kernel);
                  assertThat(refused.parameter()).isEqualTo(parameter);
                });
  }
}
