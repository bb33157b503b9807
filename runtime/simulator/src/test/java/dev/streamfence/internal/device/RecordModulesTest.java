package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records of modules, which decide who may call their accessors. */
final class RecordModulesTest {
  @TempDir private Path folder;

  /** An array with one record {@code Pair(3, 4)}, which is public. */
  private Object pairs(String directives) throws Exception {
    Path source = write("src/p/Pair.java", "package p; public record Pair(int x, long y) {}");
    Path module = write("src/module-info.java", "module user { " + directives + " }");
    Path classes = folder.resolve("classes");
    String[] options = {"-d", classes.toString(), source.toString(), module.toString()};
    assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, options)).isZero();
    ModuleLayer boot = ModuleLayer.boot();
    Configuration resolved =
        boot.configuration().resolve(ModuleFinder.of(classes), ModuleFinder.of(), Set.of("user"));
    Class<?> pair =
        boot.defineModulesWithOneLoader(resolved, getClass().getClassLoader())
            .findLoader("user")
            .loadClass("p.Pair");
    Object array = Array.newInstance(pair, 1);
    if (!directives.isEmpty()) {
      Constructor<?> constructor = pair.getConstructor(int.class, long.class);
      Array.set(array, 0, constructor.newInstance(3, 4L));
    }
    return array;
  }

  private Path write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  @Test
  void aPublicRecordOfAnExportedPackageNeedsNothing() throws Exception {
    comesBack(pairs("exports p;"));
  }

  @Test
  void aRecordOfAnOpenPackageNeedsNothing() throws Exception {
    comesBack(pairs("opens p;"));
  }

  private static void comesBack(Object pairs) {
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<Object> array = gpu.memory().upload(stream, pairs)) {
      assertThat((Object[]) array.download(stream)).isEqualTo(pairs);
    }
  }

  /** The records stay on the device then; kernels and bytes reach them. */
  @Test
  void aRecordOfAClosedPackageIsRefusedWithTheRemedy() throws Exception {
    Object pairs = pairs("");
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<?> array = gpu.memory().allocateZeroed(stream, pairs.getClass(), 2)) {
      String refusal =
          "the records p.Pair cannot be read or made: module user neither opens their package nor"
              + " exports it with a public record; add \"opens p;\" to it";
      assertThatIllegalArgumentException()
          .isThrownBy(() -> gpu.memory().upload(stream, pairs))
          .withMessage(refusal);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.download(stream))
          .withMessage(refusal);
      assertThat(array.view(0, 2).reinterpret(byte[].class).download(stream)).hasSize(32);
      gpu.memory().reap();
      assertThat(gpu.memory().bytesOutstanding()).isEqualTo(32);
    }
  }
}
