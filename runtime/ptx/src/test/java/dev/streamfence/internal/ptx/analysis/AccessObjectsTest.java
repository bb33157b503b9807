package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Origin;
import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.analysis.lattice.Sums;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The content of a variable in the analysis, in the notation of {@link Sums}. */
class AccessObjectsTest {
  private final MemoryObject object = variable();

  private static MemoryObject variable() {
    return new MemoryObject(Sums.origin('s'), StateSpace.LOCAL, true, 1, null);
  }

  private static Provenance pointer(int parameter) {
    return Provenance.of(Derivation.of(Origin.parameter(parameter, ParameterRole.BUFFER)));
  }

  private static List<String> texts(List<Provenance> values) {
    return values.stream().map(Sums::text).toList();
  }

  /** Stores of the form {@code offset:width:value}, or {@code *:width:value} anywhere. */
  private void storeAll(String stores) {
    for (String store : stores.split(";")) {
      String[] parts = store.trim().split(":");
      int width = Integer.parseInt(parts[1]);
      if (parts[0].equals("*")) {
        object.storeAnywhere(width, Sums.of(parts[2]));
      } else {
        object.store(Long.parseLong(parts[0]), width, Sums.of(parts[2]));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "8:8:p,                   8,  8,  p",
    "8:8:p,                   0,  8,  nothing",
    "8:8:p,                   16, 8,  nothing",
    "8:8:p,                   7,  1,  nothing",
    "8:8:p,                   16, 1,  nothing",
    "8:8:p,                   8,  4,  /p",
    "8:8:p,                   12, 4,  /p",
    "8:8:p,                   15, 1,  /p",
    "8:8:p,                   10, 2,  /p",
    "8:8:p,                   12, 8,  /p",
    "8:8:p,                   4,  8,  /p",
    "8:8:p,                   8,  16, p",
    "8:8:p,                   0,  16, p",
    "8:8:p,                   4,  16, p",
    "8:8:p; 16:8:q,           8,  16, p q",
    "8:8:p; 16:8:q,           12, 8,  /p /q",
    "8:4:/p; 12:4:/p,         8,  8,  ?p",
    "8:4:/p; 12:4:/q,         8,  8,  /p /q",
    "8:4:number; 12:4:number, 8,  8,  foreign",
    "8:4:/p; 12:4:0,          8,  8,  /p",
    "8:8:p; 12:4:/q,          8,  8,  p | /q",
    "8:8:p; 8:4:/q,           8,  8,  p | /q",
    "8:8:p; 8:4:/q,           8,  4,  /p | /q",
    "8:8:nothing,             8,  8,  nothing",
    "8:4:nothing,             8,  8,  nothing",
    "8:4:nothing; 12:4:/p,    8,  8,  /p",
    "0:32:p,                  0,  32, p",
    "0:32:p,                  31, 1,  /p",
    "*:8:p,                   0,  8,  p",
    "*:8:p,                   96, 8,  p",
    "*:8:p; 8:8:q,            8,  8,  p | q",
    "*:8:p; 8:8:q,            0,  8,  p",
    "*:8:p,                   0,  4,  /p",
    "*:4:/p,                  0,  8,  /p | ?p",
    "-8:8:p,                  -8, 8,  p",
    "8:4:5,                   8,  4,  5",
    "8:2:5,                   8,  2,  5",
    "8:8:5,                   8,  8,  5"
  })
  void aLoadFindsWhatWasStoredInItsBytes(String stores, long offset, int width, String found) {
    storeAll(stores);

    assertThat(Sums.text(object.load(offset, width))).isEqualTo(found);
  }

  @ParameterizedTest
  @CsvSource({
    "8:8:p,                   8,  p",
    "8:8:p; 16:8:q,           8,  p | q",
    "8:8:p; *:8:q,            8,  q | p",
    "8:8:p,                   4,  /p",
    "8:4:/p,                  8,  /p | ?p",
    "8:4:number,              8,  foreign",
    "8:4:nothing,             8,  nothing",
    "8:8:nothing,             8,  nothing"
  })
  void aLoadFromAnywhereFindsAll(String stores, int width, String found) {
    storeAll(stores);

    assertThat(Sums.text(object.loadAnywhere(width))).isEqualTo(found);
  }

  @Test
  void aStoreReportsWhetherItChangesAnything() {
    assertThat(object.store(8, 8, pointer(0))).isTrue();
    assertThat(object.store(8, 8, pointer(0))).isFalse();
    assertThat(object.store(8, 8, pointer(1))).isTrue();
    assertThat(object.store(8, 4, pointer(0))).isTrue();
    assertThat(object.store(16, 8, Provenance.BOTTOM)).isFalse();
    assertThat(object.storeAnywhere(8, pointer(0))).isTrue();
    assertThat(object.storeAnywhere(8, pointer(0))).isFalse();
  }

  @Test
  void eachWidthInEachPlaceCountsOnce() {
    assertThat(object.size()).isZero();
    storeAll("8:8:p; 8:8:q; 8:4:p; 16:8:p; *:8:p; *:8:q");

    assertThat(object.size()).isEqualTo(4);
  }

  @Test
  void offsetsAreDistinguishedUntilThereAreTooMany() {
    for (int i = 0; i < 1023; i++) {
      object.store(8L * i, 8, Provenance.NUMBER);
    }
    object.store(8 * 1023, 8, pointer(0));
    assertThat(object.size()).isEqualTo(1024);
    assertThat(Sums.text(object.load(0, 8))).isEqualTo("number");
    assertThat(Sums.text(object.load(8 * 1023, 8))).isEqualTo("p");

    assertThat(object.store(8 * 1024, 8, pointer(1))).isTrue();
    assertThat(object.store(8 * 1025, 8, pointer(1))).isFalse();
    assertThat(Sums.text(object.load(0, 8))).isEqualTo("q | number");
  }

  @Test
  void aPlaceThatChangesTooOftenHoldsOneSum() {
    for (int i = 0; i < 24; i++) {
      object.store(0, 8, pointer(i));
    }
    assertThat(object.load(0, 8).alternatives()).hasSize(8);

    object.store(0, 8, pointer(24));
    assertThat(object.store(0, 8, pointer(25))).isTrue();
    Provenance all = object.load(0, 8);
    assertThat(all.alternatives()).hasSize(1);
    assertThat(all.alternatives().get(0).size()).isEqualTo(26);
    assertThat(object.store(0, 8, pointer(3))).isFalse();
  }

  @Test
  void aPlaceThatChangesSeldomKeepsItsWays() {
    MemoryObject other = variable();
    for (int i = 0; i < 23; i++) {
      other.store(0, 8, pointer(i));
    }
    assertThat(other.load(0, 8).alternatives()).hasSize(7);
    other.store(0, 8, pointer(23));
    assertThat(other.load(0, 8).alternatives()).hasSize(8);
  }

  @Test
  void aCopyHoldsAllThatTheOtherHolds() {
    storeAll("8:8:p; 16:8:q; *:8:x");
    MemoryObject copy = variable();

    assertThat(copy.storeAll(object)).isTrue();
    assertThat(copy.storeAll(object)).isFalse();
    assertThat(Sums.text(copy.load(8, 8))).isEqualTo("x | p");
    assertThat(Sums.text(copy.load(16, 8))).isEqualTo("x | q");
    assertThat(Sums.text(copy.load(24, 8))).isEqualTo("x");
  }

  @ParameterizedTest
  @CsvSource({"8:8:p", "16:8:p", "*:8:p"})
  void aCopyReportsAChangeOfAnyPlace(String change) {
    storeAll("8:8:q; 16:8:q; *:8:q");
    MemoryObject copy = variable();
    copy.storeAll(object);
    storeAll(change);

    assertThat(copy.storeAll(object)).isTrue();
    assertThat(copy.storeAll(object)).isFalse();
  }

  @Test
  void itsContentsAreAllThatWasStored() {
    storeAll("8:8:p; 8:4:q; 16:8:x; *:8:y");

    assertThat(texts(object.contents())).containsExactlyInAnyOrder("p", "q", "x", "y");
  }

  @ParameterizedTest
  @CsvSource({"0, p q x", "1, q x", "8, q x", "9, x", "24, x", "25, y x", "33, y x", "34, x"})
  void aRunEndsAtAGapOfMoreThanEightBytes(long offset, String values) {
    storeAll("0:8:p; 8:8:q; 33:8:y; *:8:x");

    assertThat(texts(object.run(offset))).containsExactly(values.split(" "));
  }

  @Test
  void aRunContinuesAfterAGapOfAlignment() {
    storeAll("0:4:p; 12:4:q; 25:4:x");

    assertThat(texts(object.run(0))).containsExactly("p", "q");
    assertThat(texts(object.run(12))).containsExactly("q");
  }

  @Test
  void theWidestOfTheValuesInOnePlaceEndsARun() {
    storeAll("0:16:p; 0:1:q; 24:8:x; 40:1:y");

    assertThat(texts(object.run(0))).containsExactlyInAnyOrder("p", "q", "x", "y");
  }

  @Test
  void aVariableHasNoOriginUntilOneIsStored() {
    assertThat(object.hasNoOrigin()).isTrue();
    storeAll("8:8:number; 16:8:foreign");
    assertThat(object.hasNoOrigin()).isTrue();
    storeAll("8:8:p");
    assertThat(object.hasNoOrigin()).isFalse();
  }

  @Test
  void aVariableEscapesOnce() {
    assertThat(object.isEscaped()).isFalse();
    assertThat(object.escape()).isTrue();
    assertThat(object.escape()).isFalse();
    assertThat(object.isEscaped()).isTrue();
  }
}
