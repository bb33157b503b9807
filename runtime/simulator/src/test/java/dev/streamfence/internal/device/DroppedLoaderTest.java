package dev.streamfence.internal.device;

import dev.streamfence.internal.driver.jcuda.Shell;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The library in a class loader of its own, as in a container of applications. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DroppedLoaderTest {
  @TempDir Path folder;

  /** Java itself keeps what it has generated for a class, by references that a full heap clears. */
  @Test
  void aLoaderWithTheLibraryIsCollectedOnceItsRuntimesAreClosed() {
    Shell.java(folder.toString(), DroppedLoaderProgram.class, "-XX:SoftRefLRUPolicyMSPerMB=0")
        .run();
  }
}
