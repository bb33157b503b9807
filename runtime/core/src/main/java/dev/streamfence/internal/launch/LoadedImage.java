package dev.streamfence.internal.launch;

import dev.streamfence.CudaDriverException;
import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.memory.AddressTables;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.ptx.check.KernelFacts;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One image on one device, with the kernels looked up in it so far. Thread-safe. */
final class LoadedImage {
  private record FrameOwner(Timeline timeline, KernelSignature signature) {}

  private final KernelModules modules;
  private final TrackedRuntime runtime;
  private final KernelImage image;
  private final ModuleHandle module;
  private final ImageCode code;
  private final LoadedSymbols symbols;
  private final Map<KernelSignature, LoadedKernel> kernels = new HashMap<>();
  private final Map<String, LoadedFunction> functions = new HashMap<>();
  private final Map<FrameOwner, ArgumentFrame> frames = new HashMap<>();

  /** Read by every launch, without a lock but its stream's. */
  private volatile boolean unloaded;

  LoadedImage(
      KernelModules modules,
      TrackedRuntime runtime,
      KernelImage image,
      ImageCode code,
      ModuleHandle module,
      LoadedSymbols symbols) {
    this.modules = modules;
    this.runtime = runtime;
    this.image = image;
    this.module = module;
    this.code = code;
    this.symbols = symbols;
  }

  /** Whether {@link #refuseUses} was called. */
  boolean isUnloaded() {
    return unloaded;
  }

  /** Refuses every use that begins from now on, because the module is about to be unloaded. */
  void refuseUses() {
    unloaded = true;
    symbols.close();
  }

  /**
   * Does {@link #refuseUses} unless a graph or other code has a variable; nothing has changed then.
   *
   * @throws IllegalStateException if it has
   */
  void refuseUsesUnlessHeld() {
    symbols.closeUnlessHeld();
    unloaded = true;
  }

  /**
   * Unloads the module, which nothing uses any more, and gives its frames back. Called once: a
   * driver that refuses does not say whether the module is gone.
   */
  synchronized void unload() {
    try {
      runtime.driver().unloadModule(module);
    } catch (CudaDriverException e) {
      throw e.during("unloading " + image);
    } finally {
      frames.values().forEach(frame -> modules.giveBack(frame.memory()));
      frames.clear();
    }
  }

  /** The refusal of a use after the image was unloaded. */
  IllegalStateException unloadedRefusal(String use) {
    return new IllegalStateException(
        use + " of " + image + ", which was unloaded; a new launcher or LoadedModule.of loads it");
  }

  /** Held: this, so that the module is not unloaded meanwhile. */
  void requireLoaded(String use) {
    if (unloaded) {
      throw unloadedRefusal(use);
    }
  }

  /**
   * A kernel of the image, checked against its declaration.
   *
   * @throws dev.streamfence.KernelLoadException if the image has no such entry, or one with other
   *     parameters
   */
  synchronized LoadedKernel kernel(KernelSignature signature) {
    requireLoaded(signature.entry());
    LoadedKernel existing = kernels.get(signature);
    if (existing != null) {
      return existing;
    }
    runtime.sticky().check();
    code.check(signature, fact -> runtime.warn(LogTopic.KERNELS, fact));
    LoadedKernel kernel = lookUp(signature);
    kernels.put(signature, kernel);
    return kernel;
  }

  /** The variables of the image that the host uses. */
  LoadedSymbols symbols() {
    return symbols;
  }

  /**
   * The occupancy of an entry.
   *
   * @throws dev.streamfence.KernelLoadException if the image has no such entry
   */
  synchronized LoadedOccupancy occupancy(String entry) {
    requireLoaded(entry);
    runtime.sticky().check();
    try {
      return new LoadedOccupancy(
          runtime, this, entry, functions.computeIfAbsent(entry, this::function));
    } catch (CudaDriverException e) {
      throw e.during("looking up kernel " + entry + " of " + image);
    }
  }

  private LoadedKernel lookUp(KernelSignature signature) {
    try {
      KernelFacts facts = code.facts(signature).orElse(null);
      LoadedFunction function =
          functions.computeIfAbsent(
              signature.entry(),
              entry -> facts == null ? function(entry) : function(entry, facts.requiredBlock()));
      int blockSize =
          signature.hasAutomaticBlockSize()
              ? chooseBlockSize(signature, function)
              : signature.blockSize();
      return new LoadedKernel(
          runtime,
          this,
          signature,
          function,
          blockSize,
          symbols.of(facts == null ? name -> code.use(signature.entry(), name) : facts::use),
          bounds(signature, facts));
    } catch (CudaDriverException e) {
      throw e.during("loading kernel " + signature + " of " + image);
    }
  }

  /** What launches of a kernel touch, found when the first one asks. */
  private LaunchedBounds bounds(KernelSignature signature, @Nullable KernelFacts facts) {
    if (!runtime.options().boundsChecks() && !signature.requiresBounds()) {
      return new LaunchedBounds(() -> null);
    }
    if (facts != null) {
      return new LaunchedBounds(() -> read(facts, signature));
    }
    LaunchedBounds bounds = new LaunchedBounds(() -> read(signature));
    if (signature.requiresBounds() && bounds.get() == null) {
      throw new KernelLoadException(
          image.name(),
          signature
              + ": the interface requires proved bounds, which only PTX that is read here shows",
          "",
          null);
    }
    return bounds;
  }

  private @Nullable LoadedBounds read(KernelFacts facts, KernelSignature signature) {
    try {
      return LoadedBounds.of(facts.bounds(), signature);
    } catch (IllegalArgumentException e) {
      // A later compiler may have written more than this reads; the code itself says the same.
      return read(signature);
    }
  }

  private synchronized @Nullable LoadedBounds read(KernelSignature signature) {
    return code.bounds(signature);
  }

  private int chooseBlockSize(KernelSignature signature, LoadedFunction function) {
    int bytes = signature.dynamicSharedBytes();
    int suggested = function.suggestedBlockSize(bytes);
    if (suggested == 0) {
      throw new KernelLoadException(
          image.name(),
          signature + ": no block fits on " + runtime + " with " + function.shared(bytes),
          "",
          null);
    }
    return suggested;
  }

  private LoadedFunction function(String entry) {
    return function(entry, code.requiredBlock(entry).orElse(null));
  }

  private LoadedFunction function(String entry, @Nullable BlockLimit requiredBlock) {
    CudaDriver driver = runtime.driver();
    return new LoadedFunction(driver, driver.function(module, entry), requiredBlock);
  }

  /**
   * The frame of a kernel on a stream. Its recorders share the frame, since launches on a stream
   * take turns.
   */
  synchronized ArgumentFrame frame(Timeline timeline, KernelSignature signature) {
    requireLoaded(signature.entry());
    return frames.computeIfAbsent(
        new FrameOwner(timeline, signature), owner -> modules.frame(signature.passed()));
  }

  /** The tables of a stream; null for a kernel that takes none. */
  @Nullable AddressTables tables(Timeline timeline, KernelSignature signature) {
    return signature.takesTables() ? modules.tables(timeline) : null;
  }

  @Override
  public String toString() {
    return image.toString();
  }
}
