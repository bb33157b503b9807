package dev.streamfence.launch;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeInternals;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.CudaDriver.ModuleHandle;
import dev.streamfence.driver.HostMemory;
import dev.streamfence.stream.Teardown;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The kernel modules loaded on one runtime, each once, and the native memory of their argument
 * frames. Closed with the runtime. Thread-safe; never locked on the launch path.
 */
final class KernelModules implements AutoCloseable {
  private static final RuntimeInternals INTERNALS = LoadedModule.INTERNALS;

  /** Frames are small and page-locked memory comes in pages: many share one allocation. */
  private static final int FRAME_CHUNK_BYTES = 64 << 10;

  private final DeviceRuntime runtime;
  private final CudaDriver driver;
  private final Map<KernelImage, LoadedImage> loaded = new HashMap<>();
  private final List<HostMemory> frameChunks = new ArrayList<>();
  private long frameOffset;

  private KernelModules(DeviceRuntime runtime) {
    this.runtime = runtime;
    this.driver = INTERNALS.driver(runtime);
  }

  static KernelModules of(DeviceRuntime runtime) {
    return INTERNALS.attachment(runtime, KernelModules.class, KernelModules::new);
  }

  /**
   * Loads an image, or returns what was loaded from it before. May wait for the device the first
   * time.
   */
  synchronized LoadedImage load(KernelImage image) {
    LoadedImage existing = loaded.get(image);
    if (existing != null) {
      return existing;
    }
    INTERNALS.faults(runtime).check();
    byte[] bytes = image.bytes();
    try {
      ModuleHandle module = driver.loadModule(image.name(), bytes);
      try {
        LoadedImage fresh = new LoadedImage(this, runtime, image, bytes, module);
        loaded.put(image, fresh);
        return fresh;
      } catch (RuntimeException e) {
        driver.unloadModule(module);
        throw e;
      }
    } catch (CudaDriverException e) {
      throw INTERNALS.faults(runtime).note(e, "loading " + image);
    }
  }

  synchronized ArgumentFrame frame(int parameters) {
    int size = ArgumentFrame.sizeInBytes(parameters);
    if (frameChunks.isEmpty() || frameOffset + size > lastChunk().sizeInBytes()) {
      INTERNALS.faults(runtime).check();
      try {
        frameChunks.add(driver.allocateHost(Math.max(FRAME_CHUNK_BYTES, size)));
      } catch (CudaDriverException e) {
        throw INTERNALS.faults(runtime).note(e, "allocating memory for arguments");
      }
      frameOffset = 0;
    }
    HostMemory memory = lastChunk().slice(frameOffset, size);
    frameOffset += size;
    return new ArgumentFrame(memory, parameters);
  }

  @Override
  public synchronized void close() {
    Teardown teardown = new Teardown();
    for (LoadedImage image : loaded.values()) {
      teardown.step(() -> driver.unloadModule(image.module()));
    }
    loaded.clear();
    for (HostMemory chunk : frameChunks) {
      teardown.step(() -> driver.freeHost(chunk));
    }
    frameChunks.clear();
    teardown.finish();
  }

  private HostMemory lastChunk() {
    return frameChunks.get(frameChunks.size() - 1);
  }
}
