package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.streamfence.RuntimeOptions;
import dev.streamfence.memory.MemoryBudget;
import org.junit.jupiter.api.Test;

final class MemoryBudgetTest {
  @Test
  void eachKindOfBudgetHasItsBytesOnADevice() {
    assertThat(MemoryBudget.ofBytes(7).inBytes(1000)).isEqualTo(7);
    assertThat(MemoryBudget.ofBytes(0).inBytes(1000)).isZero();
    assertThat(MemoryBudget.ofDevice(0.5).inBytes(1000)).isEqualTo(500);
    assertThat(MemoryBudget.unlimited().inBytes(1000)).isEqualTo(RuntimeOptions.NO_BUDGET);
  }

  @Test
  void onlyTheUnlimitedBudgetIsUnlimited() {
    assertThat(MemoryBudget.unlimited().isUnlimited()).isTrue();
    assertThat(MemoryBudget.ofBytes(0).isUnlimited()).isFalse();
    assertThat(MemoryBudget.ofDevice(1).isUnlimited()).isFalse();
  }

  @Test
  void onlyAShareIsOneOfTheDevice() {
    assertThat(MemoryBudget.ofDevice(1).isShareOfDevice()).isTrue();
    assertThat(MemoryBudget.ofBytes(1).isShareOfDevice()).isFalse();
    assertThat(MemoryBudget.unlimited().isShareOfDevice()).isFalse();
  }

  @Test
  void negativeBytesAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MemoryBudget.ofBytes(-1))
        .withMessageContaining("-1 bytes");
  }

  @Test
  void budgetsOfTheSameSizeAreEqual() {
    assertThat(MemoryBudget.ofBytes(7))
        .isEqualTo(MemoryBudget.ofBytes(7))
        .hasSameHashCodeAs(MemoryBudget.ofBytes(7))
        .isNotEqualTo(MemoryBudget.ofBytes(8))
        .hasToString("memory budget of 7 bytes");
    assertThat(MemoryBudget.ofDevice(0.5))
        .isEqualTo(MemoryBudget.ofDevice(0.5))
        .isNotEqualTo(MemoryBudget.ofBytes(0))
        .isNotEqualTo(MemoryBudget.unlimited())
        .hasToString("memory budget of 0.5 of the device");
    assertThat(MemoryBudget.unlimited()).hasToString("no memory budget");
  }
}
