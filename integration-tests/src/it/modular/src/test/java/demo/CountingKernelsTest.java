package demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import java.lang.module.ModuleDescriptor.Exports;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CountingKernelsTest {
  @Test
  void launcherReadsThePtxOfAModuleThatOpensNothing() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> target = gpu.memory().upload(stream, new int[3])) {
      CountingKernelsLauncher.on(stream).countUp(target, 7, 3);
      assertArrayEquals(new int[] {7, 8, 9}, target.download(stream));
    }
  }

  @Test
  void ptxLiesInAPackageOfTheModule() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> target = gpu.memory().upload(stream, new int[3])) {
      CountingDownKernelsLauncher.on(stream).countDown(target, 7, 3);
      assertArrayEquals(new int[] {7, 6, 5}, target.download(stream));
    }
  }

  @Test
  void everythingIsInANamedModule() {
    Module module = CountingKernelsLauncher.class.getModule();
    assertEquals("demo", module.getName());
    assertFalse(module.isOpen("kernels"));
    assertEquals("dev.streamfence.runtime", DeviceRuntime.class.getModule().getName());
  }

  @Test
  void runtimeAndExchangeAreExplicitModulesThatExportTenPackages() {
    Module runtime = DeviceRuntime.class.getModule();
    assertEquals(
        Set.of(
            "dev.streamfence",
            "dev.streamfence.foreign",
            "dev.streamfence.graph",
            "dev.streamfence.launch",
            "dev.streamfence.memory",
            "dev.streamfence.simulation",
            "dev.streamfence.trace"),
        exported(runtime));
    assertTrue(runtime.getPackages().contains("dev.streamfence.internal"));
    assertEquals(
        Set.of(
            "dev.streamfence.column",
            "dev.streamfence.column.arrow",
            "dev.streamfence.column.dlpack"),
        exported(DeviceTable.class.getModule()));
  }

  private static Set<String> exported(Module module) {
    assertFalse(module.getDescriptor().isAutomatic());
    return module.getDescriptor().exports().stream()
        .filter(exports -> !exports.isQualified())
        .map(Exports::source)
        .collect(Collectors.toSet());
  }
}
