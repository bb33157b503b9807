package dev.streamfence.launch;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.KernelLoadException;
import dev.streamfence.RuntimeInternals;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.CudaDriver.FunctionHandle;
import dev.streamfence.driver.CudaDriver.ModuleHandle;
import dev.streamfence.driver.DeviceProperties;
import dev.streamfence.ptx.PtxException;
import dev.streamfence.ptx.PtxModule;
import dev.streamfence.stream.Timeline;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One image on one device, with the kernels that were asked for. Thread-safe. */
final class LoadedImage {
  private static final RuntimeInternals INTERNALS = LoadedModule.INTERNALS;

  private record FrameOwner(Timeline timeline, KernelSignature signature) {}

  private final KernelModules modules;
  private final DeviceRuntime runtime;
  private final KernelImage image;
  private final ModuleHandle module;
  private final @Nullable PtxModule unchecked;
  private final String origin;
  private final Map<KernelSignature, LoadedKernel> kernels = new HashMap<>();
  private final Map<FrameOwner, ArgumentFrame> frames = new HashMap<>();

  LoadedImage(
      KernelModules modules,
      DeviceRuntime runtime,
      KernelImage image,
      byte[] bytes,
      ModuleHandle module) {
    this.modules = modules;
    this.runtime = runtime;
    this.image = image;
    this.module = module;
    String hash = ImageHash.of(bytes);
    boolean wasChecked = hash.equals(image.sha256());
    this.unchecked = wasChecked ? null : parse(image, bytes);
    this.origin =
        wasChecked || image.sha256().isEmpty()
            ? ""
            : "; the interface was compiled with another file (SHA-256 "
                + image.sha256()
                + ", this one has "
                + hash
                + ")";
    if (unchecked == null && !origin.isEmpty() && !INTERNALS.options(runtime).uncheckedBinaries()) {
      throw new KernelLoadException(
          image.name(),
          "it cannot be compared with the interface"
              + origin
              + "; compile the interface with it, or allow it by"
              + " RuntimeOptions.withUncheckedBinaries(true)",
          "",
          null);
    }
  }

  ModuleHandle module() {
    return module;
  }

  /**
   * A kernel of the image, checked against its declaration.
   *
   * @throws dev.streamfence.KernelLoadException if the image has no such entry, or one with other
   *     parameters
   */
  synchronized LoadedKernel kernel(KernelSignature signature) {
    LoadedKernel existing = kernels.get(signature);
    if (existing != null) {
      return existing;
    }
    INTERNALS.faults(runtime).check();
    if (unchecked != null) {
      CodeCheck.check(image.name(), origin, unchecked, signature);
    }
    try {
      CudaDriver driver = INTERNALS.driver(runtime);
      FunctionHandle function = driver.function(module, signature.entry());
      LoadedKernel kernel =
          new LoadedKernel(runtime, signature, function, driver.attributes(function));
      kernels.put(signature, kernel);
      return kernel;
    } catch (CudaDriverException e) {
      throw INTERNALS.faults(runtime).note(e, "loading kernel " + signature + " of " + image);
    }
  }

  /**
   * The frame of a kernel on a stream: one, whoever launches, since launches on a stream take
   * turns.
   */
  synchronized ArgumentFrame frame(Timeline timeline, KernelSignature signature) {
    return frames.computeIfAbsent(
        new FrameOwner(timeline, signature), owner -> modules.frame(signature.parameters()));
  }

  /**
   * The driver has accepted the image already. What this parser cannot read may be newer than it
   * is, so that it is not refused; its kernels then stay unchecked, as those of a binary do.
   */
  private static @Nullable PtxModule parse(KernelImage image, byte[] bytes) {
    if (!looksLikePtx(bytes)) {
      return null;
    }
    try {
      return PtxModule.parse(new String(bytes, StandardCharsets.UTF_8));
    } catch (PtxException e) {
      System.getLogger(LoadedImage.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "{0}: kernels are not checked: {1}",
              image.name(),
              e.getMessage());
      return null;
    }
  }

  /** Why a device refuses an image, where that can be seen; otherwise empty. */
  static String explainRefusal(byte[] bytes, DeviceProperties device) {
    if (!looksLikePtx(bytes)) {
      return "";
    }
    try {
      PtxModule ptx = PtxModule.parse(new String(bytes, StandardCharsets.UTF_8));
      return ptx.runsOn(device.computeMajor(), device.computeMinor())
          ? ""
          : "it is PTX for "
              + ptx.target()
              + ", the device has compute capability "
              + device.computeMajor()
              + "."
              + device.computeMinor();
    } catch (PtxException e) {
      // The device's own words are about the same text.
      return "";
    }
  }

  private static boolean looksLikePtx(byte[] bytes) {
    boolean elf = bytes.length > 3 && bytes[0] == 0x7f && bytes[1] == 'E';
    boolean fatbin = bytes.length > 3 && bytes[0] == 0x50 && (bytes[1] & 0xff) == 0xed;
    return !elf && !fatbin;
  }
}
