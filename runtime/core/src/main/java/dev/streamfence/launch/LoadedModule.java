package dev.streamfence.launch;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.launch.TrackedModule;
import dev.streamfence.internal.launch.TrackedModuleLoader;

/** The kernels of one image, to be launched on one stream. Thread-safe. */
public sealed interface LoadedModule permits TrackedModule {
  /**
   * Loads an image on the device of a stream, unless it is loaded there already. May wait for the
   * device the first time.
   *
   * @throws dev.streamfence.KernelLoadException if the image is missing or the device refuses it
   * @throws dev.streamfence.StreamMisuseException if the stream is closed
   * @throws dev.streamfence.RuntimeClosedException if its runtime is closed
   * @throws dev.streamfence.CudaDriverException if the device is lost, or the driver call fails
   */
  static LoadedModule of(DeviceStream stream, KernelImage image) {
    return TrackedModuleLoader.load(stream, image);
  }

  /**
   * A strict recorder: it takes tracked arrays only.
   *
   * @throws dev.streamfence.KernelLoadException if the module has no such kernel, or one with other
   *     parameters
   * @throws IllegalArgumentException if not exactly one parameter of the signature says how many
   *     threads run
   * @throws dev.streamfence.StreamMisuseException if the stream is closed
   * @throws dev.streamfence.RuntimeClosedException if its runtime is closed
   */
  LaunchRecorder recorder(KernelSignature signature);

  /**
   * A strict recorder like {@link #recorder(KernelSignature)}, whose launches traces and profilers
   * name after the method that declares the kernel instead of the entry point.
   *
   * @param declaring the interface with the method
   * @throws dev.streamfence.KernelLoadException as there
   * @throws IllegalArgumentException as there
   * @throws dev.streamfence.StreamMisuseException as there
   * @throws dev.streamfence.RuntimeClosedException as there
   */
  LaunchRecorder recorder(KernelSignature signature, Class<?> declaring, String method);

  /**
   * A permissive recorder: it also takes untracked addresses, see {@link LaunchRecorder#untracked}.
   *
   * @throws dev.streamfence.KernelLoadException if the module has no such kernel, or one with other
   *     parameters
   * @throws IllegalArgumentException if not exactly one parameter of the signature says how many
   *     threads run
   * @throws dev.streamfence.StreamMisuseException if the stream is closed
   * @throws dev.streamfence.RuntimeClosedException if its runtime is closed
   */
  LaunchRecorder permissiveRecorder(KernelSignature signature);

  /**
   * The variable of a symbol of the image, as an array that the module owns: closing it does
   * nothing, and it can be used on every stream until the module is unloaded or the runtime is
   * closed. Each image that is loaded has variables of its own. Every launch of a kernel that may
   * use the variable counts as a use of the array. Does not synchronise.
   *
   * @param <A> the class of an array of its elements
   * @param name the symbol's name
   * @return the same array at each call
   * @throws IllegalArgumentException if the image has no such symbol with such elements
   * @throws dev.streamfence.RuntimeClosedException if the runtime is closed
   */
  <A> DeviceArray<A> symbol(String name, Class<A> arrayType);

  /**
   * Unloads the image from the device, for all streams: frees the memory of its code and its
   * variables, and {@link #of} loads it anew, from a file that may have been replaced. Waits for
   * launches that other threads have open, and then for the device. Launches by recorders and
   * launchers that were made before are refused with an {@link IllegalStateException}; uses of its
   * variables are refused like those of closed arrays. Unloading again does nothing, or completes
   * an unloading that failed.
   *
   * @throws IllegalStateException if a graph or other code has one of its variables: the image then
   *     stays loaded, and can be used
   * @throws dev.streamfence.StreamMisuseException if this thread has a launch open
   * @throws dev.streamfence.RuntimeClosedException if the runtime is closed
   * @throws dev.streamfence.CudaDriverException if earlier work has failed, or the driver call
   *     fails
   */
  void unload();

  /**
   * The occupancy of a kernel on the device of the stream.
   *
   * @param entry the name of its entry point
   * @throws dev.streamfence.KernelLoadException if the module has no such kernel
   * @throws dev.streamfence.StreamMisuseException if the stream is closed
   * @throws dev.streamfence.RuntimeClosedException if its runtime is closed
   * @throws dev.streamfence.CudaDriverException if the device is lost, or the driver call fails
   */
  KernelOccupancy occupancy(String entry);
}
