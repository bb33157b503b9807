package dev.streamfence.processor.verify;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.check.Passing;
import dev.streamfence.internal.ptx.syntax.CodeLimits;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.processor.model.ResourceName;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The parsed modules that a compilation keeps. */
class KnownModulesTest {
  private static final KernelSignature STEP =
      KernelSignature.entry("step").writes("v", int[].class).value("n", int.class);

  private static byte[] ptx(int instructions) {
    return (".version 7.0\n.target sm_75\n.address_size 64\n"
            + ".entry step(.param .u64 v, .param .u32 n) { .reg .b64 %rd<3>; ld.param.u64 %rd1, [v];\n"
            + "st.global.u32 [%rd1], 1;\n".repeat(instructions)
            + "ret; }\n")
        .getBytes(UTF_8);
  }

  private static ModuleCode.Ptx add(KnownModules modules, String name, byte[] file) {
    return (ModuleCode.Ptx) modules.add(new ResourceName(name), file, entries -> Optional.empty());
  }

  @Test
  void aFileIsParsedOnceUnderAllItsNames() {
    KnownModules modules = new KnownModules();
    ModuleCode.Ptx first = add(modules, "a.ptx", ptx(10));

    assertThat(modules.find(new ResourceName("a.ptx"))).isSameAs(first);
    assertThat(add(modules, "b.ptx", ptx(10)).check()).isSameAs(first.check());
    assertThat(add(modules, "c.ptx", ptx(11)).check()).isNotSameAs(first.check());
  }

  @Test
  void theLeastRecentlyUsedModuleIsForgotten() {
    KnownModules modules = new KnownModules(1_000);
    add(modules, "a.ptx", ptx(300));
    add(modules, "b.ptx", ptx(301));
    assertThat(modules.find(new ResourceName("a.ptx"))).isNotNull();
    add(modules, "c.ptx", ptx(302));
    add(modules, "d.ptx", ptx(303));

    assertThat(modules.find(new ResourceName("b.ptx"))).isNull();
    assertThat(modules.find(new ResourceName("d.ptx"))).isNotNull();
  }

  @Test
  void aModuleAboveTheLimitIsKeptForItsInterface() {
    KnownModules modules = new KnownModules(10);
    ModuleCode.Ptx only = add(modules, "a.ptx", ptx(300));

    assertThat(modules.find(new ResourceName("a.ptx"))).isSameAs(only);
  }

  @Test
  void aKernelIsAnalysedOnceForInterfacesThatDeclareItAlike() {
    KnownModules modules = new KnownModules();
    ModuleCode.Ptx code = add(modules, "a.ptx", ptx(1_000));
    assertThat(code.compare(STEP)).isEmpty();
    long left = modules.workLeft(code.sha256());

    assertThat(left).isLessThan(CodeLimits.MODULE_WORK);
    assertThat(code.compare(STEP)).isEmpty();
    assertThat(code.accesses("step", List.of(Passing.ARRAY, Passing.BY_VALUE))).hasSize(2);
    assertThat(modules.workLeft(code.sha256())).isEqualTo(left);
  }

  @Test
  void aModuleThatIsParsedAgainHasOnlyTheRemainingBudget() {
    KnownModules modules = new KnownModules(10);
    ModuleCode.Ptx code = add(modules, "a.ptx", ptx(1_000));
    code.compare(STEP);
    long left = modules.workLeft(code.sha256());
    add(modules, "b.ptx", ptx(1));
    ModuleCode.Ptx again = add(modules, "a.ptx", ptx(1_000));
    again.compare(STEP);

    assertThat(again.check()).isNotSameAs(code.check());
    assertThat(modules.workLeft(code.sha256())).isEqualTo(left - (CodeLimits.MODULE_WORK - left));
  }
}
