package dev.streamfence.processor.verify;

import dev.streamfence.Access;
import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.check.Mismatch;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Findings;
import dev.streamfence.processor.diagnostic.KernelPlaces;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.ResourceName;
import java.util.Optional;
import javax.lang.model.element.VariableElement;

/** Reports where a kernel's code contradicts its interface. Confined to one thread at a time. */
public final class CodeVerifier {
  private final ModuleCode code;
  private final String resource;
  private final Findings findings;

  /** Creates a verifier of kernels whose code is in one resource. */
  public CodeVerifier(ModuleCode code, ResourceName resource, Findings findings) {
    this.code = code;
    this.resource = resource.value();
    this.findings = findings;
  }

  /** Compares a kernel with its code. */
  public void verify(KernelMethod kernel, KernelPlaces places) {
    for (Mismatch mismatch : code.compare(kernel.signature())) {
      if (mismatch.parameter() < 0) {
        report(mismatch, kernel, places);
      } else {
        KernelParameter.Passed parameter = kernel.signature().passed().get(mismatch.parameter());
        int index = kernel.parameters().indexOf(parameter);
        report(mismatch, kernel, parameter, places.method().getParameters().get(index));
      }
    }
  }

  private void report(Mismatch mismatch, KernelMethod kernel, KernelPlaces places) {
    switch (mismatch.kind()) {
      case NO_ENTRY ->
          findings.report(
              Problem.NO_SUCH_ENTRY,
              places.entry(),
              resource,
              kernel.signature().entry(),
              kernel.name(),
              mismatch.actual());
      case PARAMETER_COUNT ->
          findings.report(
              Problem.PARAMETER_COUNT,
              Culprit.of(places.method()),
              kernel.name(),
              parameters(kernel.signature().passed().size()),
              mismatch.actual(),
              place(kernel));
      case BLOCK_SIZE ->
          findings.report(
              Problem.BLOCK_SIZE_OF_CODE,
              places.blockSize(),
              kernel.name(),
              kernel.signature().blockSize(),
              mismatch.actual(),
              place(kernel));
      default -> throw new IllegalStateException(mismatch.toString());
    }
  }

  private void report(
      Mismatch mismatch,
      KernelMethod kernel,
      KernelParameter.Passed parameter,
      VariableElement element) {
    Culprit culprit = Culprit.of(element);
    String name = parameter.name();
    String site = mismatch.site().map(found -> describe(found, kernel)).orElse("");
    switch (mismatch.kind()) {
      case PARAMETER_SIZE ->
          findings.report(
              Problem.PARAMETER_SIZE,
              culprit,
              name,
              parameter.sizeInBytes(),
              mismatch.actual(),
              place(kernel));
      case PARAMETER_KIND ->
          findings.report(
              Problem.PARAMETER_KIND,
              culprit,
              name,
              parameter.inWords(),
              mismatch.actual(),
              place(kernel));
      case STORES ->
          findings.report(Problem.STORES_THROUGH_READS, culprit, name, site, mismatch.actual());
      case LOADS ->
          findings.report(Problem.LOADS_THROUGH_WRITES, culprit, name, site, mismatch.actual());
      case NEVER_STORES -> findings.report(Problem.NEVER_STORED, culprit, name, place(kernel));
      case ONLY_LOADS -> findings.report(Problem.NEEDLESS_WRITE, culprit, name, place(kernel));
      case ADDRESS -> findings.report(Problem.NUMBER_AS_ADDRESS, culprit, name, site);
      case UNCLEAR -> {
        KernelParameter.Array buffer = (KernelParameter.Array) parameter;
        if (!buffer.trusted()) {
          String declared = buffer.access() == Access.READ ? "@Reads" : "@Writes";
          findings.report(Problem.UNCLEAR_ACCESS, culprit, name, declared, site);
        }
      }
      default -> throw new IllegalStateException(mismatch.toString());
    }
  }

  private static String parameters(long count) {
    return count + (count == 1 ? " parameter" : " parameters");
  }

  private String place(KernelMethod kernel) {
    String entry = kernel.signature().entry();
    String line = code instanceof ModuleCode.Ptx ptx ? " in line " + ptx.check().line(entry) : "";
    return "entry " + entry + line + " of " + resource + sourceOf(kernel).orElse("");
  }

  private Optional<String> sourceOf(KernelMethod kernel) {
    Optional<CudaSource> source =
        code instanceof ModuleCode.Ptx ptx ? ptx.source() : Optional.empty();
    return source
        .flatMap(text -> text.place(kernel.signature().entry()))
        .map(place -> ", " + place);
  }

  private String describe(AccessSite site, KernelMethod kernel) {
    String instruction = site.instruction() + " in line " + site.line() + " of " + resource;
    return instruction
        + site.position().map(position -> ", " + position).or(() -> sourceOf(kernel)).orElse("")
        + site.reason().map(reason -> " (" + reason + ")").orElse("");
  }
}
