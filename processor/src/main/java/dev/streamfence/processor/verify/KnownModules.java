package dev.streamfence.processor.verify;

import dev.streamfence.launch.KernelImage;
import dev.streamfence.processor.model.ResourceName;
import dev.streamfence.ptx.AnalysisBudget;
import dev.streamfence.ptx.CodeLimits;
import dev.streamfence.ptx.Cubin;
import dev.streamfence.ptx.KernelCheck;
import dev.streamfence.ptx.PtxException;
import dev.streamfence.ptx.PtxModule;
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
 * The modules that a compilation has looked at. Each is parsed once, whatever interfaces name it
 * and under which names, as long as all of them fit {@link CodeLimits#KEPT_PARTS}; beyond that, the
 * one that was not needed for longest is forgotten. The work that the analysis of a module may take
 * is not: one that is parsed again has only what is left. Confined to one thread at a time.
 */
public final class KnownModules {
  /** What a module takes beside the parts of its code. */
  private static final int PARTS_OF_ENTRY = 16;

  /** In the order in which they were needed last. */
  private final Map<ResourceName, ModuleCode> modules = new LinkedHashMap<>(16, 0.75f, true);

  private final Map<String, AnalysisBudget> budgets = new HashMap<>();
  private final int maxParts;
  private long parts;

  /** Modules of which none is known yet. */
  public KnownModules() {
    this(CodeLimits.KEPT_PARTS);
  }

  KnownModules(int maxParts) {
    this.maxParts = maxParts;
  }

  /** What is in the file of this name, if that is known. */
  public @Nullable ModuleCode find(ResourceName name) {
    return modules.get(name);
  }

  /**
   * Takes in a file.
   *
   * @param file its bytes, or one more than {@link CodeLimits#FILE_BYTES} of them
   * @param source gives what the module was compiled from, by the module's entries
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

  /** How much work the analysis of a module may still take, by the hash of its file. */
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
    if (startsWith(file, 0x7f, 'E', 'L', 'F')) {
      return ModuleCode.Opaque.binary("a binary", Cubin.read(file));
    }
    if (startsWith(file, 0x50, 0xed)) {
      return ModuleCode.Opaque.binary("a fat binary", Optional.empty());
    }
    String sha256 = KernelImage.sha256(file);
    Optional<KernelCheck> known = check(sha256);
    try {
      Optional<KernelCheck> check = known.isPresent() ? known : parse(file, sha256);
      return check
          .<ModuleCode>map(
              found -> new ModuleCode.Ptx(found, sha256, source.apply(found.entries())))
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

  private static boolean startsWith(byte[] file, int... mark) {
    for (int i = 0; i < mark.length; i++) {
      if (i >= file.length || (file[i] & 0xff) != mark[i]) {
        return false;
      }
    }
    return true;
  }
}
