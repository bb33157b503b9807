package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static dev.streamfence.processor.UserBuild.javac;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members of an interface do not hide the names that its launcher uses. */
class HiddenNamesTest {
  private static final String REST = "(@Reads DeviceArray<int[]> x, @ThreadCount int n);";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Access",
        "ElementType",
        "KernelImage",
        "KernelSignature",
        "LaunchRecorder",
        "LoadedModule",
        "DeviceArray",
        "DeviceStream",
        "Generated",
        "Override",
        "Kernels",
        "KernelsLauncher",
        "java",
        "javax",
        "dev",
        "IMAGE",
      })
  void kernelHidesNoClass(String name) {
    compile("@Kernel void " + name + REST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Access", "ElementType", "KernelImage", "KernelSignature", "LoadedModule"})
  void constantHidesNoClass(String name) {
    compile("int " + name + " = 1; @Kernel void run" + REST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Access", "ElementType", "KernelImage", "KernelSignature", "LoadedModule"})
  void memberClassHidesNoClassAndKernelHidesNoPackage(String name) {
    compile("class " + name + " {} @Kernel void dev" + REST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Access", "KernelSignature", "LaunchRecorder", "dev", "java", "IMAGE"})
  void parameterHidesNoClass(String name) {
    compile("@Kernel void run(@ThreadCount int " + name + ");");
  }

  private static void compile(String members) {
    assertThat(
            javac()
                .withProcessors(new KernelProcessor())
                .withOptions("-Xlint:all,-processing", "-Werror")
                .compile(
                    Sources.file(
                        Sources.kernels(members)
                            .replace("@KernelModule", Sources.UNSEEN + "@KernelModule"))))
        .succeededWithoutWarnings();
  }
}
