package dev.streamfence.internal.recording;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** To which input of a graph a recorded address belongs. */
final class GraphBindingsTest {
  private final GraphBindings bindings = new GraphBindings();

  @Test
  void anInputHasTheAddressesFromItsFirstToItsLastByte() {
    int first = bindings.add(100, 8);
    int second = bindings.add(108, 4);

    assertThat(bindings.inputAt(99)).isEqualTo(-1);
    assertThat(bindings.inputAt(100)).isEqualTo(first);
    assertThat(bindings.inputAt(107)).isEqualTo(first);
    assertThat(bindings.inputAt(108)).isEqualTo(second);
    assertThat(bindings.inputAt(111)).isEqualTo(second);
    assertThat(bindings.inputAt(112)).isEqualTo(-1);
  }

  @Test
  void anAddressInAnInputIsAsFarFromTheBeginOfWhatIsBound() {
    int input = bindings.add(100, 8);
    bindings.set(input, 500, "other");

    assertThat(bindings.translate(104)).isEqualTo(504);
    assertThat(bindings.translate(108)).isEqualTo(108);
    assertThat(bindings.describe(104, "own")).isEqualTo("other");
    assertThat(bindings.describe(108, "own")).isEqualTo("own");
  }
}
