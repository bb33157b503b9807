package dev.streamfence.internal.launch;

import dev.streamfence.CudaDriverException;
import dev.streamfence.KernelLoadException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.jfr.FlightEvents;
import dev.streamfence.internal.memory.AddressTables;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.ptx.check.SourceHash;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelParameter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The kernel modules loaded on one runtime, each once, and the native memory of their argument
 * frames. Callers enter the runtime first, so nothing is loaded or looked up after it is closed.
 * Thread-safe; never locked on the launch path.
 */
final class KernelModules implements AutoCloseable {
  /** One image, or the place of one that is being loaded. */
  private static final class ImagePlace {
    /** Written once, under the lock of this place; an unload and the close read it without. */
    private volatile @Nullable LoadedImage image;
  }

  /** Frames are small and page-locked memory comes in pages: many share one allocation. */
  private static final int FRAME_CHUNK_BYTES = 64 << 10;

  private final TrackedRuntime runtime;
  private final CudaDriver driver;

  /** Guarded by this. */
  private final Map<KernelImage, ImagePlace> loaded = new HashMap<>();

  /** Images that refuse uses, and are not unloaded yet. Guarded by this. */
  private final Set<LoadedImage> unloading = new LinkedHashSet<>();

  /** The memory that the next frame comes from. Guarded by this. */
  private @Nullable HostMemory frameChunk;

  /** The memory of frames of images that were unloaded, by size. Guarded by this. */
  private final Map<Long, Deque<HostMemory>> unusedFrames = new HashMap<>();

  // Guarded by this.
  private final Map<Timeline, AddressTables> tables = new HashMap<>();
  private long frameOffset;

  private KernelModules(TrackedRuntime runtime) {
    this.runtime = runtime;
    this.driver = runtime.driver();
  }

  static KernelModules of(TrackedRuntime runtime) {
    return runtime.attachment(KernelModules.class, KernelModules::new);
  }

  /**
   * Loads an image, or returns it if it is already loaded. May wait for the device the first time.
   *
   * @param timeline any stream of the device
   */
  LoadedImage load(KernelImage image, Timeline timeline) {
    while (true) {
      ImagePlace place;
      synchronized (this) {
        place = loaded.computeIfAbsent(image, unknown -> new ImagePlace());
      }
      // The driver may compile for seconds: only those who want this image wait for it.
      synchronized (place) {
        // A thread that has waited may find that the image was not loaded, or was unloaded.
        if (isPlaceOf(image, place)) {
          LoadedImage existing = place.image;
          return existing != null ? existing : loadInto(place, image, timeline);
        }
      }
    }
  }

  private synchronized boolean isPlaceOf(KernelImage image, ImagePlace place) {
    return loaded.get(image) == place;
  }

  /** Held: the place. */
  private LoadedImage loadInto(ImagePlace place, KernelImage image, Timeline timeline) {
    boolean isLoaded = false;
    try {
      runtime.sticky().check();
      LoadedImage fresh = loadBest(image, timeline);
      place.image = fresh;
      isLoaded = true;
      return fresh;
    } finally {
      if (!isLoaded) {
        synchronized (this) {
          loaded.remove(image, place);
        }
      }
    }
  }

  /** Unloads an image once no launch uses it. The next load of the image is another one. */
  void unload(LoadedImage image) {
    runtime.requireOutsideLaunch("unloading " + image);
    synchronized (this) {
      if (loaded.values().stream().anyMatch(place -> place.image == image)) {
        image.refuseUsesUnlessHeld();
        loaded.values().removeIf(place -> place.image == image);
        unloading.add(image);
      } else if (!unloading.contains(image)) {
        return;
      }
    }
    // Without a lock: a thread with a launch open may want to load another image.
    runtime.awaitAllWork("unloading " + image);
    synchronized (image) {
      synchronized (this) {
        if (!unloading.remove(image)) {
          return;
        }
      }
      image.unload();
    }
  }

  /** Takes the memory of a frame back that no launch uses any more. */
  synchronized void giveBack(HostMemory frame) {
    unusedFrames.computeIfAbsent(frame.sizeInBytes(), size -> new ArrayDeque<>()).add(frame);
  }

  /**
   * Loads from the best source that the device accepts. A file in a kernel folder is not passed
   * over: if it cannot be loaded, nothing is.
   */
  private LoadedImage loadBest(KernelImage image, Timeline timeline) {
    RuntimeOptions options = runtime.options();
    DeviceProperties device = runtime.driver().properties();
    String binaries =
        options.uncheckedBinaries() ? "sm_" + device.computeMajor() + device.computeMinor() : "";
    List<ImageSource> sources = ImageSource.of(image, binaries, options.kernelFolders());
    List<KernelLoadException> refused = new ArrayList<>();
    for (ImageSource source : sources) {
      try {
        Optional<byte[]> bytes = source.read();
        if (bytes.isPresent()) {
          String stale = staleness(source, bytes.get());
          LoadedImage best = load(image, source.name(), bytes.get(), timeline);
          if (!stale.isEmpty()) {
            runtime.warn(LogTopic.KERNELS, stale);
          }
          refused.forEach(
              refusal -> runtime.warn(LogTopic.KERNELS, "skipped: " + refusal.getMessage()));
          return best;
        }
      } catch (KernelLoadException e) {
        if (source instanceof ImageSource.InFolder) {
          // It was put there to replace the code behind it, which must not run in its place.
          throw e;
        }
        refused.add(e);
      }
    }
    if (refused.size() == 1) {
      throw refused.get(0);
    }
    throw refused.isEmpty() ? missing(image, sources) : refused(image, refused);
  }

  /**
   * What shows that PTX was made from another version of the source beside it, since build tools
   * may not look at sources; empty if nothing does.
   */
  private static String staleness(ImageSource source, byte[] ptx) {
    String stated = SourceHash.in(ptx);
    if (stated.isEmpty()) {
      return "";
    }
    return source
        .cudaSource()
        .filter(cuda -> isOther(cuda, stated))
        .map(
            cuda ->
                source.name()
                    + " was made from another version of "
                    + cuda.name()
                    + " beside it; compile that again")
        .orElse("");
  }

  private static boolean isOther(ImageSource cuda, String stated) {
    try {
      return cuda.read().filter(text -> !KernelImage.sha256(text).equals(stated)).isPresent();
    } catch (Exception e) {
      // Nothing needs the source, and code of the user may open it: if it fails, that says nothing.
      return false;
    }
  }

  private LoadedImage load(KernelImage image, String source, byte[] bytes, Timeline timeline) {
    boolean binariesAllowed = runtime.options().uncheckedBinaries();
    ImageCode code = ImageCode.of(image, source, bytes, binariesAllowed);
    code.checkSymbols();
    try {
      ModuleHandle module = loadOrExplain(source, bytes);
      LoadedImage fresh = loaded(image, code, module, timeline);
      if (!code.unreadable().isEmpty()) {
        runtime.warn(LogTopic.KERNELS, source + ": kernels are not checked; " + code.unreadable());
      }
      return fresh;
    } catch (CudaDriverException e) {
      throw e.during("loading " + image);
    }
  }

  /** The image of a module, which is unloaded if the image's variables are not in it. */
  private LoadedImage loaded(
      KernelImage image, ImageCode code, ModuleHandle module, Timeline timeline) {
    try {
      LoadedSymbols symbols = new LoadedSymbols(runtime, image, module, timeline);
      return new LoadedImage(this, runtime, image, code, module, symbols);
    } catch (RuntimeException | Error e) {
      try {
        driver.unloadModule(module);
      } catch (RuntimeException | Error second) {
        Suppressed.add(e, second);
      }
      throw e;
    }
  }

  private ModuleHandle loadOrExplain(String source, byte[] bytes) {
    Object event = FlightEvents.beginModuleLoad();
    try {
      ModuleHandle loaded = driver.loadModule(source, bytes);
      FlightEvents.endModuleLoad(event, source, bytes.length);
      return loaded;
    } catch (KernelLoadException e) {
      String reason = ImageCode.explainRefusal(bytes, runtime.driver().properties());
      throw reason.isEmpty() ? e : new KernelLoadException(source, reason, e.log(), e);
    }
  }

  private static KernelLoadException missing(KernelImage image, List<ImageSource> sources) {
    return new KernelLoadException(
        image.name(),
        "there is no such resource on the class path; the name is relative to its root, and in a"
            + " named module the interface's own module must contain it; looked for "
            + sources.stream().map(ImageSource::name).collect(Collectors.joining(", ")),
        "",
        null);
  }

  private static KernelLoadException refused(KernelImage image, List<KernelLoadException> refused) {
    KernelLoadException all =
        new KernelLoadException(
            image.name(),
            "none of its " + refused.size() + " sources can be loaded",
            refused.stream().map(Throwable::getMessage).collect(Collectors.joining("\n")),
            refused.get(0));
    refused.stream().skip(1).forEach(each -> Suppressed.add(all, each));
    return all;
  }

  /** Memory for the arguments of one kernel on one stream. */
  synchronized ArgumentFrame frame(List<KernelParameter.Passed> parameters) {
    int size = ArgumentFrame.sizeInBytes(parameters);
    Deque<HostMemory> unused = unusedFrames.get((long) size);
    if (unused != null && !unused.isEmpty()) {
      return new ArgumentFrame(unused.removeLast(), parameters);
    }
    HostMemory chunk = frameChunk;
    if (chunk == null || frameOffset + size > chunk.sizeInBytes()) {
      try {
        chunk = runtime.hostMemory().take(Math.max(FRAME_CHUNK_BYTES, size));
      } catch (CudaDriverException e) {
        throw e.during("allocating memory for arguments");
      }
      frameChunk = chunk;
      frameOffset = 0;
    }
    HostMemory memory = chunk.slice(frameOffset, size);
    frameOffset += size;
    return new ArgumentFrame(memory, parameters);
  }

  /** The tables of addresses of a stream, which all its kernels share. */
  synchronized AddressTables tables(Timeline timeline) {
    return tables.computeIfAbsent(timeline, runtime::addressTables);
  }

  @Override
  public synchronized void close() {
    Teardown teardown = new Teardown();
    tables.values().forEach(each -> each.close(teardown));
    tables.clear();
    // Nothing is being loaded: the closing thread is alone.
    for (ImagePlace place : loaded.values()) {
      LoadedImage image = place.image;
      if (image != null) {
        unloading.add(image);
      }
    }
    loaded.clear();
    for (LoadedImage image : unloading) {
      teardown.step(image::refuseUses);
      teardown.step(image::unload);
    }
    unloading.clear();
    teardown.finish();
  }
}
