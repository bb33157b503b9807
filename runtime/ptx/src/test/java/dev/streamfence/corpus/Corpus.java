package dev.streamfence.corpus;

import java.util.ArrayList;
import java.util.List;

/** Every case of the corpus. A suite for a real device runs the same ones. */
public final class Corpus {
  private Corpus() {}

  /** Returns all cases. */
  public static List<KernelCase> all() {
    List<KernelCase> cases = new ArrayList<>();
    cases.addAll(IntegerCases.all());
    cases.addAll(FloatCases.all());
    cases.addAll(HalfCases.all());
    cases.addAll(ConversionCases.all());
    cases.addAll(MemoryCases.all());
    cases.addAll(WarpCases.all());
    cases.addAll(ControlCases.all());
    return cases;
  }
}
