package dev.streamfence.processor.verify;

import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.check.Mismatch;
import dev.streamfence.internal.ptx.check.SymbolMismatch;
import dev.streamfence.internal.ptx.check.SymbolMismatch.SymbolDifference;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.KernelPlaces;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.ResourceName;
import dev.streamfence.processor.model.SymbolMethod;
import java.util.List;
import java.util.Optional;
import javax.lang.model.element.ExecutableElement;
import javax.tools.Diagnostic;

/** Reports where a kernel's code contradicts its interface. Confined to one thread at a time. */
public final class CodeVerifier {
  private static final String TRUSTED_ARRAY = ", or add @Trusted(\"reason\") to the array";
  private static final String CLEARER = "the module was compiled with -G, and is clearer without";

  private final ModuleCode code;
  private final String resource;
  private final Mistakes mistakes;

  /** Creates a verifier of kernels whose code is in one resource. */
  public CodeVerifier(ModuleCode code, ResourceName resource, Mistakes mistakes) {
    this.code = code;
    this.resource = resource.value();
    this.mistakes = mistakes;
  }

  /** Compares a kernel with its code. */
  public void verify(KernelMethod kernel, KernelPlaces places) {
    KernelSignature signature = kernel.signature();
    List<Mismatch> mismatches = code.compare(signature);
    mismatches.forEach(mismatch -> report(mismatch, kernel, places));
    if (mismatches.stream().noneMatch(CodeVerifier::isError)) {
      code.races(signature)
          .flatMap(races -> kernel.refusesRaces() ? races.unproved() : races.shown())
          .ifPresent(mismatch -> report(mismatch, kernel, places));
    }
  }

  private static boolean isError(Mismatch mismatch) {
    return problem(mismatch.kind()).kind() == Diagnostic.Kind.ERROR;
  }

  private void report(Mismatch mismatch, KernelMethod kernel, KernelPlaces places) {
    KernelSignature signature = kernel.signature();
    mistakes.report(
        problem(mismatch.kind()),
        culprit(mismatch, signature, places),
        mismatch.sentence(signature, site -> describe(site, kernel)),
        mismatch.actual(),
        addition(mismatch, kernel));
  }

  private String addition(Mismatch mismatch, KernelMethod kernel) {
    return switch (problem(mismatch.kind())) {
      case NO_SUCH_ENTRY -> resource;
      case UNCLEAR_ACCESS, POSSIBLE_ADDRESS -> isDebug() ? "; " + CLEARER : "";
      // A variable of the code has no declaration that could have the annotation.
      case RACE, DATA_DEPENDENT_RACE -> mismatch.parameter() < 0 ? "" : TRUSTED_ARRAY;
      default -> place(kernel);
    };
  }

  private boolean isDebug() {
    return code instanceof ModuleCode.Ptx ptx && ptx.check().isDebug();
  }

  /**
   * Compares a variable with its code.
   *
   * @param method the place of its type
   * @param name the place of its name
   */
  public void verify(SymbolMethod symbol, ExecutableElement method, Culprit name) {
    Optional<SymbolMismatch> mismatch = code.compare(symbol.symbol());
    if (mismatch.isPresent()) {
      SymbolDifference kind = mismatch.get().kind();
      mistakes.report(
          switch (kind) {
            case NO_VARIABLE -> Problem.NO_SUCH_SYMBOL;
            case LAYOUT -> Problem.SYMBOL_LAYOUT;
            case KIND -> Problem.SYMBOL_KIND;
          },
          kind == SymbolDifference.NO_VARIABLE ? name : Culprit.of(method),
          mismatch.get().sentence(),
          resource);
    }
  }

  private static Problem problem(Mismatch.Difference kind) {
    return switch (kind) {
      case NO_ENTRY -> Problem.NO_SUCH_ENTRY;
      case PARAMETER_COUNT -> Problem.PARAMETER_COUNT;
      case PARAMETER_SIZE -> Problem.PARAMETER_SIZE;
      case PARAMETER_KIND -> Problem.PARAMETER_KIND;
      case BLOCK_SIZE -> Problem.BLOCK_SIZE_OF_CODE;
      case ONE_BLOCK_SIZE -> Problem.ONE_BLOCK_SIZE;
      case GRID_BARRIER -> Problem.GRID_BARRIER;
      case NO_DYNAMIC_SHARED -> Problem.NO_DYNAMIC_SHARED;
      case NO_CLUSTER -> Problem.NO_CLUSTER;
      case WARP_GROUPS -> Problem.WARP_GROUPS;
      case TILE_SIZE -> Problem.TILE_SIZE;
      case STORES -> Problem.STORES_THROUGH_READS;
      case LOADS -> Problem.LOADS_THROUGH_WRITES;
      case NEVER_STORES -> Problem.NEVER_STORED;
      case ONLY_LOADS -> Problem.NEEDLESS_WRITE;
      case ELEMENT_WIDTH -> Problem.ELEMENT_WIDTH;
      case UNPROVED_BOUNDS -> Problem.UNPROVED_BOUNDS;
      case RACE -> Problem.RACE;
      case DATA_DEPENDENT_RACE -> Problem.DATA_DEPENDENT_RACE;
      case UNPROVED_RACES -> Problem.UNPROVED_RACES;
      case ADDRESS -> Problem.NUMBER_AS_ADDRESS;
      case MAY_BE_ADDRESS -> Problem.POSSIBLE_ADDRESS;
      case CONTENT_ADDRESS -> Problem.ADDRESSES_IN_ARRAY;
      case STORES_TO_TABLE -> Problem.STORES_TO_TABLE;
      case NO_TABLE -> Problem.NO_TABLE;
      case MAY_STORE, MAY_LOAD, MAY_STORE_TO_TABLE -> Problem.UNCLEAR_ACCESS;
    };
  }

  private static Culprit culprit(
      Mismatch mismatch, KernelSignature signature, KernelPlaces places) {
    return switch (mismatch.kind()) {
      case NO_ENTRY -> places.entry();
      case PARAMETER_COUNT, GRID_BARRIER, NO_DYNAMIC_SHARED, NO_CLUSTER ->
          Culprit.of(places.method());
      case BLOCK_SIZE, ONE_BLOCK_SIZE, WARP_GROUPS, TILE_SIZE -> places.blockSize();
      default -> {
        if (mismatch.parameter() < 0) {
          yield Culprit.of(places.method());
        }
        KernelParameter parameter = signature.passed().get(mismatch.parameter());
        int index = signature.parameters().indexOf(parameter);
        yield Culprit.of(places.method().getParameters().get(index));
      }
    };
  }

  private String place(KernelMethod kernel) {
    String entry = kernel.signature().entry();
    String line = code instanceof ModuleCode.Ptx ptx ? " in line " + ptx.check().line(entry) : "";
    return "entry "
        + entry
        + line
        + " of "
        + resource
        + sourceOf(kernel).map(place -> ", " + place).orElse("");
  }

  private Optional<String> sourceOf(KernelMethod kernel) {
    Optional<CudaSource> source =
        code instanceof ModuleCode.Ptx ptx ? ptx.source() : Optional.empty();
    return source.flatMap(text -> text.place(kernel.signature().entry()));
  }

  private String describe(AccessSite site, KernelMethod kernel) {
    Optional<String> around = site.position().isPresent() ? Optional.empty() : sourceOf(kernel);
    return place(site)
        + around.map(place -> ", kernel in " + place).orElse("")
        + site.reason().map(reason -> " (" + reason + cause(site) + ")").orElse("");
  }

  private String cause(AccessSite site) {
    return site.cause().map(first -> " since " + place(first)).orElse("");
  }

  private String place(AccessSite site) {
    return site.instruction()
        + " in line "
        + site.line()
        + " of "
        + resource
        + site.position().map(position -> ", " + position).orElse("");
  }
}
