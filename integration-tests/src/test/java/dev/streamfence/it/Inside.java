package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeInternals;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.memory.Block;
import dev.streamfence.internal.order.Timeline;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Objects;

/**
 * What these suites look at behind a runtime's back. By reflection: they run over the runtime's
 * jar, whose packages are sealed, so that no class of theirs can be in one of them.
 */
final class Inside {
  private static final RuntimeInternals INTERNALS = internals();

  private Inside() {}

  /** The memory of an array that is not empty. */
  static Block block(DeviceArray<?> array) {
    return Objects.requireNonNull(INTERNALS.block(array));
  }

  static Timeline timeline(DeviceStream stream) {
    return INTERNALS.timeline(stream);
  }

  static CudaDriver driver(DeviceRuntime runtime) {
    return INTERNALS.driver(runtime);
  }

  /** Opens a runtime over a driver of the test's own. */
  static DeviceRuntime open(CudaDriver driver) {
    try {
      Class<?> opening = Class.forName("dev.streamfence.Opening");
      Method of =
          opening.getDeclaredMethod("of", CudaDriver.class, boolean.class, RuntimeOptions.class);
      Method open = opening.getDeclaredMethod("open");
      of.setAccessible(true);
      open.setAccessible(true);
      return (DeviceRuntime) open.invoke(of.invoke(null, driver, true, RuntimeOptions.defaults()));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the runtime is opened in another way now", e);
    }
  }

  private static RuntimeInternals internals() {
    try {
      Constructor<RuntimeInternals> constructor = RuntimeInternals.class.getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the internals are made in another way now", e);
    }
  }
}
