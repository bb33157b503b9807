package dev.streamfence.processor.verify;

import dev.streamfence.Access;
import dev.streamfence.ElementType;
import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.check.Mismatch;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Findings;
import dev.streamfence.processor.diagnostic.KernelPlaces;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.Parameter;
import dev.streamfence.processor.model.ResourceName;
import java.util.ArrayList;
import java.util.List;
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
    List<Integer> passed = new ArrayList<>();
    for (int i = 0; i < kernel.parameters().size(); i++) {
      if (kernel.parameters().get(i).isPassed()) {
        passed.add(i);
      }
    }
    for (Mismatch mismatch : code.compare(Signatures.of(kernel))) {
      if (mismatch.parameter() < 0) {
        report(mismatch, kernel, places);
      } else {
        int index = passed.get(mismatch.parameter());
        report(
            mismatch,
            kernel,
            kernel.parameters().get(index),
            places.method().getParameters().get(index));
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
              kernel.entry().value(),
              kernel.name(),
              mismatch.actual());
      case PARAMETER_COUNT ->
          findings.report(
              Problem.PARAMETER_COUNT,
              Culprit.of(places.method()),
              kernel.name(),
              parameters(kernel.parameters().stream().filter(Parameter::isPassed).count()),
              mismatch.actual(),
              place(kernel));
      case BLOCK_SIZE ->
          findings.report(
              Problem.BLOCK_SIZE_OF_CODE,
              places.blockSize(),
              kernel.name(),
              kernel.blockSize(),
              mismatch.actual(),
              place(kernel));
      default -> throw new IllegalStateException(mismatch.toString());
    }
  }

  private void report(
      Mismatch mismatch, KernelMethod kernel, Parameter parameter, VariableElement element) {
    Culprit culprit = Culprit.of(element);
    String name = parameter.name();
    String site = mismatch.site().map(found -> describe(found, kernel)).orElse("");
    switch (mismatch.kind()) {
      case PARAMETER_SIZE ->
          findings.report(
              Problem.PARAMETER_SIZE,
              culprit,
              name,
              Signatures.sizeInBytes(parameter),
              mismatch.actual(),
              place(kernel));
      case PARAMETER_KIND ->
          findings.report(
              Problem.PARAMETER_KIND,
              culprit,
              name,
              inWords(parameter),
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
        Parameter.Buffer buffer = (Parameter.Buffer) parameter;
        if (!buffer.isTrusted()) {
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

  private static String inWords(Parameter parameter) {
    if (parameter instanceof Parameter.Buffer) {
      return "an array";
    }
    if (parameter instanceof Parameter.Struct) {
      return "a structure";
    }
    ElementType type =
        parameter instanceof Parameter.Value value
            ? value.type()
            : ((Parameter.ThreadCount) parameter).type();
    return (type == ElementType.INT ? "an " : "a ") + type.primitive().getName();
  }

  private String place(KernelMethod kernel) {
    String entry = kernel.entry().value();
    String line = code instanceof ModuleCode.Ptx ptx ? " in line " + ptx.check().line(entry) : "";
    return "entry " + entry + line + " of " + resource + sourceOf(kernel).orElse("");
  }

  private Optional<String> sourceOf(KernelMethod kernel) {
    Optional<CudaSource> source =
        code instanceof ModuleCode.Ptx ptx ? ptx.source() : Optional.empty();
    return source.flatMap(text -> text.place(kernel.entry().value())).map(place -> ", " + place);
  }

  private String describe(AccessSite site, KernelMethod kernel) {
    String instruction = site.instruction() + " in line " + site.line() + " of " + resource;
    return instruction
        + site.position().map(position -> ", " + position).or(() -> sourceOf(kernel)).orElse("")
        + site.reason().map(reason -> " (" + reason + ")").orElse("");
  }
}
