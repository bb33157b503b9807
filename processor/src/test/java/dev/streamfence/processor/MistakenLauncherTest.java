package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A mistake in an interface is the only complaint, however much its launcher is used elsewhere. */
class MistakenLauncherTest {
  private static final String USER =
      """
      package demo;

      import static demo.KernelsLauncher.on;

      import dev.streamfence.DeviceArray;
      import dev.streamfence.DeviceStream;
      import dev.streamfence.launch.LoadedModule;

      class Operator {
        private final KernelsLauncher kernels;
        private final Kernels byInterface;
        private final LoadedModule module;

        Operator(DeviceStream stream, KernelsLauncher given) {
          kernels = on(stream);
          byInterface = KernelsLauncher.on(stream);
          module = KernelsLauncher.module(stream);
        }

        KernelsLauncher run(DeviceArray<int[]> x) {
          kernels.copy(x, 4);
          byInterface.copy(x, 4);
          return kernels;
        }
      }
      """;

  @TempDir private Path folder;

  private UserBuild build(UserBuild.Tool tool, String kernels) {
    return UserBuild.by(tool, folder)
        .with("demo/Kernels.java", Sources.kernels(kernels))
        .with("demo/Operator.java", USER)
        .run();
  }

  @ParameterizedTest
  @EnumSource
  void oneMistakeIsOneError(UserBuild.Tool tool) {
    UserBuild build = build(tool, "@Kernel void copy(DeviceArray<int[]> out, @ThreadCount int n);");

    assertThat(build.errors()).hasSize(1);
    assertThat(build.ids()).isEqualTo(List.of("ERROR [MissingAccess]"));
  }

  @ParameterizedTest
  @EnumSource
  void typesOfTheInterfaceHideNothingThatItsLauncherUses(UserBuild.Tool tool) {
    UserBuild build =
        build(
            tool,
            "@Kernel void copy(DeviceArray<int[]> out, @ThreadCount int n);\n"
                + "class DeviceStream {} class LoadedModule {} class IllegalStateException {}");

    assertThat(build.errors()).hasSize(1);
    assertThat(build.ids()).isEqualTo(List.of("ERROR [MissingAccess]"));
  }

  @ParameterizedTest
  @EnumSource
  void anInterfaceThatCannotBeImplementedHasNoLauncher(UserBuild.Tool tool) {
    UserBuild build =
        UserBuild.by(tool, folder)
            .with(
                "demo/Kernels.java",
                Sources.kernels(
                        "@Kernel void copy(@Writes DeviceArray<int[]> o, @ThreadCount int n);")
                    .replace("interface Kernels", "interface Kernels<T>"))
            .run();

    assertThat(build.ids()).isEqualTo(List.of("ERROR [Generic]"));
    assertThat(build.hasGenerated("demo/KernelsLauncher.java")).isFalse();
  }
}
