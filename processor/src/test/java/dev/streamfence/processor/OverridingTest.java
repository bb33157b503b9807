package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The kernels of an interface whose parents have methods of the same name; compilers give different
 * answers (issue 9).
 */
class OverridingTest {
  private static final String READING =
      "@Kernel(\"reading\") void k(@Reads DeviceArray<float[]> x, @ThreadCount int n);";
  private static final String WRITING =
      "@Kernel(\"writing\") void k(@Writes DeviceArray<float[]> x, @ThreadCount int n);";
  private static final String WRITING_ANY =
      "@Kernel(\"writing\") void k(@Writes DeviceArray<T> x, @ThreadCount int n);";

  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource
  void sameSignatureByATypeArgumentIsAmbiguous(UserBuild.Tool tool) {
    assertThat(
            build(
                    tool,
                    "K extends A, B<float[]> {}",
                    "A { " + READING + " }",
                    "B<T> { " + WRITING_ANY + " }")
                .complaints())
        .containsExactly(
            "[AmbiguousKernel] k is inherited from A and from B; declare it in K to choose one");
  }

  @ParameterizedTest
  @EnumSource
  void sameSignatureByTypeArgumentsOfDistantParentsIsAmbiguous(UserBuild.Tool tool) {
    assertThat(
            build(
                    tool,
                    "K extends A, C {}",
                    "A { " + READING + " }",
                    "B<T> { " + WRITING_ANY + " }",
                    "C extends B<float[]> {}")
                .ids())
        .containsExactly("ERROR [AmbiguousKernel]");
  }

  @ParameterizedTest
  @EnumSource
  void otherTypeArgumentIsAnotherKernel(UserBuild.Tool tool) {
    UserBuild build =
        build(
            tool,
            "K extends A, B<float[]> {}",
            "A { @Kernel(\"reading\") void k(@Reads DeviceArray<float[]> x, LaunchShape s); }",
            "B<T> { " + WRITING_ANY + " }");

    assertThat(entries(build)).containsExactly("reading", "writing");
  }

  @ParameterizedTest
  @EnumSource
  void ownKernelReplacesTheInheritedOne(UserBuild.Tool tool) {
    assertThat(entries(build(tool, "K extends A { " + WRITING + " }", "A { " + READING + " }")))
        .containsExactly("writing");
    assertThat(
            entries(
                build(
                    tool,
                    "K extends A, B<float[]> { " + WRITING + " }",
                    "A { " + READING + " }",
                    "B<T> { " + WRITING_ANY + " }")))
        .containsExactly("writing");
  }

  @ParameterizedTest
  @EnumSource
  void kernelOfANearParentReplacesThatOfADistantOne(UserBuild.Tool tool) {
    assertThat(
            entries(
                build(
                    tool,
                    "K extends A, Near {}",
                    "A { " + READING + " }",
                    "Near extends A { " + WRITING + " }")))
        .containsExactly("writing");
    assertThat(
            entries(
                build(
                    tool,
                    "K extends B<float[]>, Near {}",
                    "B<T> { " + READING.replace("float[]", "T") + " }",
                    "Near extends B<float[]> { " + WRITING + " }")))
        .containsExactly("writing");
  }

  @ParameterizedTest
  @EnumSource
  void defaultMethodReplacesAKernel(UserBuild.Tool tool) {
    assertThat(
            entries(
                build(
                    tool,
                    "K extends A { default void k(DeviceArray<float[]> x, int n) {}"
                        + " @Kernel void other(@ThreadCount int n); }",
                    "A { " + READING + " }")))
        .containsExactly("other");
  }

  @ParameterizedTest
  @EnumSource
  void genericMethodIsReplacedByAGenericOne(UserBuild.Tool tool) {
    assertThat(
            entries(
                build(
                    tool,
                    "K extends A<float[]> { @Override default <E> void k(E y, DeviceArray<E> x) {}"
                        + " @Kernel void other(@ThreadCount int n); }",
                    "A<T> { @Kernel <F> void k(F y, @Reads DeviceArray<F> x); }")))
        .containsExactly("other");
  }

  @ParameterizedTest
  @EnumSource
  void rawParameterReplacesAnyTypeArgument(UserBuild.Tool tool) {
    assertThat(
            build(
                    tool,
                    "K extends A { @Kernel void k(@Writes DeviceArray x, @ThreadCount int n); }",
                    "A { " + READING + " }")
                .ids())
        .containsExactly("ERROR [BufferElement]");
  }

  private UserBuild build(UserBuild.Tool tool, String type, String... parents) {
    StringBuilder text = new StringBuilder(Sources.UNSEEN);
    text.append("@KernelModule(\"k.ptx\") interface ").append(type);
    for (String parent : parents) {
      text.append("\n@SuppressWarnings(\"streamfence:KernelWithoutLauncher\") interface ");
      text.append(parent);
    }
    return UserBuild.by(tool, folder).with("demo/K.java", Sources.importing(text.toString())).run();
  }

  /** The entries that the launcher of {@code K} launches, in its order. */
  private static List<String> entries(UserBuild build) {
    assertThat(build.complaints()).isEmpty();
    assertThat(build.isCompiled()).as("%s", build.everything()).isTrue();
    return Pattern.compile("entry\\(\"(\\w+)\"\\)")
        .matcher(build.generated("demo/KLauncher.java"))
        .results()
        .map(found -> found.group(1))
        .toList();
  }
}
