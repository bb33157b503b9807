package dev.streamfence.processor.verify;

import dev.streamfence.internal.ptx.analysis.AnalysisBudget;
import dev.streamfence.internal.ptx.binary.CodeFormat;
import dev.streamfence.internal.ptx.binary.Cubin;
import dev.streamfence.internal.ptx.check.KernelCheck;
import dev.streamfence.internal.ptx.check.SourceHash;
import dev.streamfence.internal.ptx.syntax.CodeLimits;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.processor.model.ResourceName;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The modules that a compilation has read. Each is parsed once, no matter how many interfaces name
 * it or by which names, as long as all of them fit {@link CodeLimits#KEPT_PARTS}. Beyond that, the
 * least recently used module is dropped. Its analysis budget is kept: a module that is parsed again
 * has only the rest of it. Confined to one thread at a time.
 */
public final class KnownModules {
  /** The cost of a module in addition to the parts of its code. */
  private static final int PARTS_OF_ENTRY = 16;

  /** In the order of their last use. */
  private final Map<ResourceName, ModuleCode> modules = new LinkedHashMap<>(16, 0.75f, true);

  private final Map<String, AnalysisBudget> budgets = new HashMap<>();
  private final int maxParts;
  private long parts;

  /** Creates an empty collection of modules. */
  public KnownModules() {
    this(CodeLimits.KEPT_PARTS);
  }

  KnownModules(int maxParts) {
    this.maxParts = maxParts;
  }

  /** The code in the file of this name, or null if it is not known. */
  public @Nullable ModuleCode find(ResourceName name) {
    return modules.get(name);
  }

  /**
   * Adds a file.
   *
   * @param file its bytes, cut after {@link CodeLimits#FILE_BYTES} + 1
   * @param source gives the source of the module, from the module's entries
   */
  public ModuleCode add(
      ResourceName name, byte[] file, Function<Collection<String>, Optional<CudaSource>> source) {
    ModuleCode code = read(file, source);
    modules.put(name, code);
    parts += parts(code);
    for (Iterator<ModuleCode> oldest = modules.values().iterator();
        parts > maxParts && modules.size() > 1; ) {
      parts -= parts(oldest.next());
      oldest.remove();
    }
    return code;
  }

  /** The rest of the analysis budget of a module, by the hash of its file. */
  long workLeft(String sha256) {
    return budgets.getOrDefault(sha256, new AnalysisBudget()).left();
  }

  private static int parts(ModuleCode code) {
    return PARTS_OF_ENTRY + (code instanceof ModuleCode.Ptx ptx ? ptx.check().parts() : 0);
  }

  private ModuleCode read(byte[] file, Function<Collection<String>, Optional<CudaSource>> source) {
    if (file.length > CodeLimits.FILE_BYTES) {
      return ModuleCode.Opaque.tooLarge("larger than " + (CodeLimits.FILE_BYTES >> 20) + " MiB");
    }
    return switch (CodeFormat.of(file)) {
      case CUBIN -> ModuleCode.Opaque.binary("a binary", Cubin.read(file));
      case FAT_BINARY -> ModuleCode.Opaque.binary("a fat binary", Optional.empty());
      case TEXT -> readPtx(file, source);
    };
  }

  private ModuleCode readPtx(
      byte[] file, Function<Collection<String>, Optional<CudaSource>> source) {
    String sha256 = KernelImage.sha256(file);
    Optional<KernelCheck> known = check(sha256);
    try {
      Optional<KernelCheck> check = known.isPresent() ? known : parse(file, sha256);
      return check
          .<ModuleCode>map(
              found ->
                  new ModuleCode.Ptx(
                      found, sha256, source.apply(found.entries()), SourceHash.in(file)))
          .orElseGet(
              () ->
                  ModuleCode.Opaque.tooLarge(
                      "PTX of more than "
                          + CodeLimits.MODULE_PARTS
                          + " instructions, names and numbers"));
    } catch (PtxException e) {
      return new ModuleCode.Unreadable(String.valueOf(e.getMessage()));
    }
  }

  private Optional<KernelCheck> check(String sha256) {
    for (ModuleCode code : modules.values()) {
      if (code instanceof ModuleCode.Ptx ptx && ptx.sha256().equals(sha256)) {
        return Optional.of(ptx.check());
      }
    }
    return Optional.empty();
  }

  private Optional<KernelCheck> parse(byte[] file, String sha256) {
    return PtxModule.parseUpTo(new String(file, StandardCharsets.UTF_8), CodeLimits.MODULE_PARTS)
        .map(
            module ->
                new KernelCheck(
                    module, budgets.computeIfAbsent(sha256, hash -> new AnalysisBudget())));
  }
}
