package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Origin;
import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What loads of a variable find of the values that were stored in it. */
final class MemoryObjectTest {
  private final MemoryObject object =
      new MemoryObject(Origin.object(0), StateSpace.LOCAL, true, 8, null);

  private static Provenance parameter(int index) {
    return Provenance.of(Derivation.of(Origin.parameter(index, ParameterRole.BUFFER)));
  }

  /** The parameters that a value may derive from. */
  private static List<Integer> parameters(Provenance value) {
    return value.alternatives().stream()
        .flatMap(each -> Stream.iterate(0, at -> at < each.size(), at -> at + 1).map(each::origin))
        .map(Origin::index)
        .distinct()
        .sorted()
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"4, 8", "8, 8", "8, 4"})
  void aLoadFindsWhatIsStoredAfterALoadOfThatWidthToo(int stored, int loaded) {
    object.storeAnywhere(stored, parameter(0));
    assertThat(parameters(object.load(0, loaded))).containsExactly(0);
    assertThat(parameters(object.loadAnywhere(loaded))).containsExactly(0);

    object.storeAnywhere(stored, parameter(1));

    assertThat(parameters(object.load(0, loaded))).containsExactly(0, 1);
    assertThat(parameters(object.load(0, 16, loaded))).containsExactly(0, 1);
    assertThat(parameters(object.loadAnywhere(loaded))).containsExactly(0, 1);
  }

  @Test
  void partsOfAnAddressMakeItOnlyBesideEachOther() {
    object.storeAnywhere(4, parameter(0));
    object.store(16, 8, parameter(1));

    assertThat(object.load(0, 4)).isEqualTo(parameter(0));
    assertThat(object.load(0, 8).alternatives()).hasSizeGreaterThan(1);
    assertThat(parameters(object.load(16, 8))).containsExactly(0, 1);
    assertThat(parameters(object.load(8, 8))).containsExactly(0);
  }

  @Test
  void aStoreChangesTheContentOnce() {
    assertThat(object.store(0, 8, parameter(0))).isTrue();
    assertThat(object.store(0, 8, parameter(0))).isFalse();
    assertThat(object.store(0, 8, 8, parameter(0))).isTrue();
    assertThat(object.ranges()).isEqualTo(1);
    assertThat(object.storeAnywhere(8, parameter(0))).isTrue();
    assertThat(object.size()).isEqualTo(3);
    MemoryObject copy = new MemoryObject(Origin.object(1), StateSpace.LOCAL, true, 8, null);
    assertThat(copy.storeAll(object)).isTrue();
    assertThat(copy.storeAll(object)).isFalse();
    assertThat(copy.contents()).hasSize(3);
  }
}
