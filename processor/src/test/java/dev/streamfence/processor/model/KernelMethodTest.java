package dev.streamfence.processor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.ElementType;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class KernelMethodTest {
  private static final Parameter COUNT = new Parameter.ThreadCount("n", ElementType.INT);
  private static final Parameter SHAPE = new Parameter.Shape("shape");

  @Test
  void exactlyOneParameterSaysHowManyThreadsRun() {
    assertThat(kernel(256, 0, COUNT).has(Parameter.ThreadCount.class)).isTrue();
    assertThat(kernel(256, 0, SHAPE).has(Parameter.ThreadCount.class)).isFalse();
    assertThatThrownBy(() -> kernel(256, 0)).hasMessage("run says 0 times how many threads run");
    assertThatThrownBy(() -> kernel(256, 0, COUNT, SHAPE))
        .hasMessage("run says 2 times how many threads run");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 1025})
  void blockSizeIsWithinWhatDevicesTake(int blockSize) {
    assertThatThrownBy(() -> kernel(blockSize, 0, COUNT))
        .hasMessage("run has a block size of " + blockSize);
  }

  @Test
  void sharedBytesAreNotNegative() {
    assertThatThrownBy(() -> kernel(1, -1, COUNT)).hasMessage("run has -1 shared bytes");
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"INT", "LONG"})
  void threadsAreCountedAsIntOrLong(ElementType type) {
    assertThatThrownBy(() -> new Parameter.ThreadCount("n", type))
        .hasMessage("n counts threads as " + type);
  }

  @Test
  void interfaceHasAKernel() {
    QualifiedName name = new QualifiedName("demo", List.of("K"));
    ResourceName resource = new ResourceName("k.ptx");

    assertThatThrownBy(
            () ->
                new KernelInterface(
                    name, resource, List.of(), true, Deprecation.NONE, Set.of(), true))
        .hasMessage("demo.K has no kernel");
  }

  private static KernelMethod kernel(int blockSize, int sharedBytes, Parameter... parameters) {
    return new KernelMethod(
        "run",
        new EntryName("run"),
        List.of(parameters),
        blockSize,
        sharedBytes,
        false,
        false,
        false,
        Deprecation.NONE);
  }
}
