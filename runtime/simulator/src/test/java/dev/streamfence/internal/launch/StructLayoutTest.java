package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.StructLayout;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** The offsets are those that nvcc gives to the same structures. */
final class StructLayoutTest {
  private static StructLayout of(ElementType... fields) {
    return StructLayout.of(
        Arrays.stream(fields).map(type -> new KernelParameter.Value("field", type)).toList());
  }

  @Test
  void eachFieldLiesAtAMultipleOfItsSize() {
    StructLayout layout =
        of(ElementType.BYTE, ElementType.INT, ElementType.SHORT, ElementType.DOUBLE);
    assertThat(layout.offset(0)).isZero();
    assertThat(layout.offset(1)).isEqualTo(4);
    assertThat(layout.offset(2)).isEqualTo(8);
    assertThat(layout.offset(3)).isEqualTo(16);
    assertThat(layout.sizeInBytes()).isEqualTo(24);
    assertThat(layout.alignment()).isEqualTo(8);
  }

  @Test
  void thereIsPaddingAtTheEndUpToTheLargestField() {
    StructLayout layout = of(ElementType.LONG, ElementType.BYTE);
    assertThat(layout.sizeInBytes()).isEqualTo(16);
    assertThat(of(ElementType.BYTE, ElementType.BYTE, ElementType.BYTE).sizeInBytes()).isEqualTo(3);
    assertThat(of(ElementType.INT, ElementType.CHAR).sizeInBytes()).isEqualTo(8);
  }

  @Test
  void aStructureHasFromOneToSixtyFourFields() {
    assertThatIllegalArgumentException().isThrownBy(StructLayoutTest::of);
    assertThat(of(ints(64)).sizeInBytes()).isEqualTo(256);
    assertThatIllegalArgumentException().isThrownBy(() -> of(ints(65)));
  }

  private static ElementType[] ints(int count) {
    return Collections.nCopies(count, ElementType.INT).toArray(new ElementType[0]);
  }
}
