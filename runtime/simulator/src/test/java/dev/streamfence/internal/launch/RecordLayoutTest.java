package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.RecordElement;
import dev.streamfence.launch.StructLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** An element of an array and a structure by value are the same structure to a kernel. */
final class RecordLayoutTest {
  @Test
  void offsetsAreThoseOfTheSameFieldsByValue() {
    assertThat(RecordElement.MAX_FIELDS).isEqualTo(StructLayout.MAX_FIELDS);
    Random random = new Random(7);
    ElementType[] types = ElementType.values();
    for (int round = 0; round < 2_000; round++) {
      List<ElementType> fields =
          random
              .ints(1 + random.nextInt(RecordElement.MAX_FIELDS), 0, types.length)
              .mapToObj(i -> types[i])
              .toList();
      RecordElement element = new RecordElement("demo.Fields", fields);
      StructLayout layout =
          StructLayout.of(
              fields.stream().map(type -> new KernelParameter.Value("f", type)).toList());
      assertThat(element.sizeInBytes()).isEqualTo(layout.sizeInBytes());
      assertThat(element.alignment()).isEqualTo(layout.alignment());
      for (int i = 0; i < fields.size(); i++) {
        assertThat(element.offset(i)).isEqualTo(layout.offset(i));
      }
    }
  }
}
