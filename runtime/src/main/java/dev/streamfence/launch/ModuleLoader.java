package dev.streamfence.launch;

import dev.streamfence.DeviceStream;
import dev.streamfence.internal.launch.TrackedModuleLoader;

/**
 * Loads modules for {@link LoadedModule#of}, which users call instead. The runtime's own jar has
 * the only implementation. Stateless and thread-safe.
 */
public sealed interface ModuleLoader permits TrackedModuleLoader {
  /** See {@link LoadedModule#of}. */
  LoadedModule load(DeviceStream stream, KernelImage image);
}
