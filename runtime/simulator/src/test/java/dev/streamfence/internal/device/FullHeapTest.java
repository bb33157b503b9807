package dev.streamfence.internal.device;

import dev.streamfence.internal.driver.jcuda.Shell;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Java heap that is full when memory of the device is freed. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FullHeapTest {
  @TempDir Path folder;

  @Test
  void aFreeForWhichTheHeapHasNoRoomLeavesTheStreamAndTheRuntimeUsable() {
    Shell.java(folder.toString(), FullHeapProgram.class, "-Xmx16m", "-XX:+UseSerialGC").run();
  }
}
