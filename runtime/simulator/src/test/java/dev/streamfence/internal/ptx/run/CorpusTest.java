package dev.streamfence.internal.ptx.run;

import dev.streamfence.corpus.Corpus;
import dev.streamfence.corpus.KernelCase;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CorpusTest {
  static List<KernelCase> cases() {
    return Corpus.all();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyKernelOfTheCorpusGivesTheExpectedResults(KernelCase kernel) throws Exception {
    kernel.check(new SimulatedMemory());
  }
}
