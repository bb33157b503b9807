package dev.streamfence.internal.launch;

import dev.streamfence.CudaDriverException;
import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.WritableArray;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.ModuleVariable;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.ptx.analysis.VariableUse;
import dev.streamfence.internal.ptx.check.SymbolCheck;
import dev.streamfence.internal.ptx.check.SymbolMismatch;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSymbol;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The variables of a loaded image that the host reads and writes, each with one hazard state that
 * all launches and transfers share. Thread-safe.
 */
final class LoadedSymbols {
  private final KernelImage image;
  private final Map<String, Region> regions = new LinkedHashMap<>();
  private final Map<KernelSymbol, WritableArray<?>> arrays = new HashMap<>();

  /**
   * Looks the variables up.
   *
   * @param timeline any stream of the device
   * @throws KernelLoadException if there is no such variable, or one of another size
   */
  LoadedSymbols(TrackedRuntime runtime, KernelImage image, ModuleHandle module, Timeline timeline) {
    this.image = image;
    for (KernelSymbol symbol : image.symbols()) {
      Region region =
          regions.computeIfAbsent(
              symbol.name(), name -> find(runtime, image, module, name, timeline));
      Optional<SymbolMismatch> mismatch =
          SymbolCheck.compare(symbol, region.sizeInBytes(), Long.lowestOneBit(region.address()));
      if (mismatch.isPresent()) {
        throw new KernelLoadException(image.name(), mismatch.get().sentence(), "", null);
      }
      arrays.computeIfAbsent(symbol, s -> array(runtime, s, region.allocation()));
    }
  }

  private static Region find(
      TrackedRuntime runtime,
      KernelImage image,
      ModuleHandle module,
      String name,
      Timeline timeline) {
    try {
      ModuleVariable variable = runtime.driver().variable(module, name);
      return Region.of(
          Allocation.ofModule(
              variable.address(), variable.sizeInBytes(), name + " of " + image.name(), timeline));
    } catch (CudaDriverException e) {
      throw e.during("looking up variable " + name + " of " + image);
    }
  }

  private static WritableArray<?> array(
      TrackedRuntime runtime, KernelSymbol symbol, Allocation allocation) {
    return WritableArray.ofVariable(
        runtime, symbol.elementType().primitive().arrayType(), allocation);
  }

  /**
   * The array of a symbol.
   *
   * @throws IllegalArgumentException if the image does not declare it
   */
  WritableArray<?> array(String name, Class<?> arrayType) {
    KernelSymbol wanted = new KernelSymbol(name, ElementType.ofArray(arrayType));
    WritableArray<?> array = arrays.get(wanted);
    if (array == null) {
      throw new IllegalArgumentException(
          image + " declares no symbol " + wanted + "; it declares " + image.symbols());
    }
    return array;
  }

  /** Closes the arrays, because the module is about to be unloaded. */
  void close() {
    regions.values().forEach(region -> region.hazards().close(null));
  }

  /**
   * Closes the arrays like {@link #close}, all or none.
   *
   * @throws IllegalStateException if a graph or other code has one of them
   */
  void closeUnlessHeld() {
    // They were made in this order, and so in that of their locks.
    HazardState held =
        HazardState.closeAllUnlessHeld(regions.values().stream().map(Region::hazards).toList());
    if (held != null) {
      throw new IllegalStateException(
          "unloading "
              + image
              + ", whose variable '"
              + name(held)
              + "' a graph or other code still has; close or release that first");
    }
  }

  private String name(HazardState variable) {
    return regions.entrySet().stream()
        .filter(each -> each.getValue().hazards() == variable)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }

  /**
   * What a kernel may do with the variables; those that it does not use are left out.
   *
   * @param ofKernel its use of a variable
   */
  SymbolUse[] of(Function<String, VariableUse> ofKernel) {
    if (regions.isEmpty()) {
      return SymbolUse.NONE;
    }
    List<SymbolUse> uses = new ArrayList<>();
    regions.forEach(
        (name, region) -> {
          VariableUse use = ofKernel.apply(name);
          if (use.isAny()) {
            uses.add(new SymbolUse(name, region, use.reads(), use.writes()));
          }
        });
    return uses.toArray(SymbolUse.NONE);
  }
}
