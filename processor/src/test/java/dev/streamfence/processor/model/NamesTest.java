package dev.streamfence.processor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
  @ParameterizedTest
  @ValueSource(strings = {"saxpy", "_Z5saxpyfPKfPfi", "$", "_", "k1", "A$b_9"})
  void entryNameIsAnAsciiIdentifier(String name) {
    assertThat(EntryName.isLegal(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1k", "a b", "a-b", "é", "a\n", "a\u200b", "%r1"})
  void otherEntryNameIsRefused(String name) {
    assertThat(EntryName.isLegal(name)).isFalse();
  }

  @Test
  void entryNameHasAMaximalLength() {
    assertThat(EntryName.isLegal("k".repeat(EntryName.MAX_LENGTH))).isTrue();
    assertThat(EntryName.isLegal("k".repeat(EntryName.MAX_LENGTH + 1))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"k.ptx", "a/b/k.ptx", "...", "a/.b", "a/b..c", " ", "é"})
  void resourceNameIsRelativeAndNormal(String name) {
    assertThat(new ResourceName(name).value()).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "a/.",
        "./a",
        "..",
        "../a",
        "a/..",
        "a:b",
        "a\\b",
        "a\0",
        "a\nb",
        "a\u0085b"
      })
  void otherResourceNameIsRefused(String name) {
    assertThat(ResourceName.isLegal(name)).isFalse();
    assertThatThrownBy(() -> new ResourceName(name)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void resourceNameHasAMaximalLength() {
    assertThat(ResourceName.isLegal("k".repeat(ResourceName.MAX_LENGTH))).isTrue();
    assertThat(ResourceName.isLegal("k".repeat(ResourceName.MAX_LENGTH + 1))).isFalse();
  }

  @Test
  void launcherOfANestedInterfaceJoinsTheNames() {
    QualifiedName name = new QualifiedName("demo", List.of("Outer", "Inner", "K"));

    assertThat(name.canonical()).isEqualTo("demo.Outer.Inner.K");
    assertThat(name.launcher().canonical()).isEqualTo("demo.Outer_Inner_KLauncher");
  }

  @Test
  void unnamedPackageLeavesNoDot() {
    assertThat(new QualifiedName("", List.of("K")).launcher().canonical()).isEqualTo("KLauncher");
  }

  @Test
  void classWithoutANameIsRefused() {
    assertThatThrownBy(() -> new QualifiedName("demo", List.of()))
        .hasMessage("a class in demo has no name");
  }
}
