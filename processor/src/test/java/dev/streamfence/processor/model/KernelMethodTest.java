package dev.streamfence.processor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.launch.Access;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KernelMethodTest {
  @Test
  void exactlyOneParameterSaysHowManyThreadsRun() {
    KernelSignature run = KernelSignature.entry("run");

    assertThat(kernel(run.shape("shape")).parameters()).hasSize(1);
    assertThatThrownBy(() -> kernel(run))
        .hasMessageContaining("run: no parameter says how many threads run");
    assertThatThrownBy(() -> kernel(run.threads("n", int.class, 256).shape("shape")))
        .hasMessageContaining("run: 'n' and 'shape' both say how many threads run");
  }

  @Test
  void structureHasARecord() {
    KernelParameter.Struct box =
        new KernelParameter.Struct(
            "box", List.of(new KernelParameter.Value("width", ElementType.INT)));
    KernelMethod kernel = kernel(KernelSignature.entry("run").with(box).shape("shape"));

    assertThatThrownBy(() -> kernel.recordOf(box)).hasMessage("box");
  }

  @Test
  void tableHasAType() {
    KernelParameter.Table columns =
        new KernelParameter.Table("columns", ElementType.INT, Access.READ, false, false);
    KernelMethod kernel = kernel(KernelSignature.entry("run").with(columns).shape("shape"));

    assertThatThrownBy(() -> kernel.typeOf(columns)).hasMessage("columns");
  }

  @Test
  void interfaceHasAKernel() {
    QualifiedName name = new QualifiedName("demo", List.of("K"));
    ResourceName resource = new ResourceName("k.ptx");

    assertThatThrownBy(
            () ->
                new KernelInterface(
                    name, resource, List.of(), List.of(), true, Deprecation.NONE, Set.of(), true))
        .hasMessage("demo.K has no kernel");
  }

  private static KernelMethod kernel(KernelSignature signature) {
    return new KernelMethod(
        "run", signature, Map.of(), Map.of(), Map.of(), Map.of(), false, false, Deprecation.NONE);
  }
}
