package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.KernelLoadException;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.ModuleVariable;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Variables of modules, as the host finds, changes and reads them. */
final class ModuleVariablesTest {
  private static final String PTX =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .extern .global .u32 elsewhere;
      .visible .const .align 4 .u32 scale = 3;
      .const .align 1 .b8 odd[3] = {1, 2, 3};
      .visible .const .align 8 .b8 pair[8] = {5, 0, 0, 0, 6};
      .global .align 4 .u32 total;
      .global .align 4 .u32 other = 9;
      .visible .entry add()
      {
        .reg .b32 %r<7>;
        ld.const.u32 %r1, [scale];
        ld.const.u32 %r2, [pair+4];
        ld.const.u8 %r5, [odd+2];
        ld.global.u32 %r3, [total];
        add.u32 %r4, %r1, %r2;
        add.u32 %r4, %r4, %r3;
        add.u32 %r6, %r4, %r5;
        st.global.u32 [total], %r6;
        ret;
      }
      """;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final CudaDriver driver = Inside.open(device);
  private final StreamHandle a = driver.createStream(0);
  private final StreamHandle b = driver.createStream(0);
  private final HostMemory host = driver.allocateHost(64);
  private final ModuleHandle module =
      driver.loadModule("v.ptx", PTX.getBytes(StandardCharsets.US_ASCII));

  private long address(String name) {
    return driver.variable(module, name).address();
  }

  private void launch(StreamHandle stream) {
    driver.launchKernel(
        new KernelLaunch(driver.function(module, "add"), false, stream, host)
            .grid(1, 1, 1)
            .block(1, 1, 1));
  }

  private int read(long address) {
    driver.copyToHostAsync(host, 0, address, 4, a);
    driver.synchronizeStream(a);
    return host.buffer().getInt(0);
  }

  @Test
  void aVariableHasAnAddressAndItsSize() {
    assertThat(driver.variable(module, "total").sizeInBytes()).isEqualTo(4);
    assertThat(driver.variable(module, "pair").sizeInBytes()).isEqualTo(8);
    ModuleVariable odd = driver.variable(module, "odd");
    assertThat(odd.sizeInBytes()).isEqualTo(3);
    assertThat(driver.variable(module, "odd")).isEqualTo(odd);
  }

  @ParameterizedTest
  @ValueSource(strings = {"missing", "add", "elsewhere", ""})
  void anotherNameIsNotFound(String name) {
    assertThatThrownBy(() -> driver.variable(module, name))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("v.ptx")
        .hasMessageContaining("there is no variable " + name);
  }

  @Test
  void copiesAndFillsReachConstantAndGlobalMemory() {
    launch(a);
    assertThat(read(address("total"))).isEqualTo(3 + 6 + 3);
    driver.fillAsync(address("scale"), Integer.BYTES, 100, 1, a);
    driver.fillAsync(address("pair") + 4, Integer.BYTES, 20, 1, a);
    driver.fillAsync(address("odd") + 2, Byte.BYTES, 7, 1, a);
    driver.fillAsync(address("total"), Integer.BYTES, 1000, 1, a);
    launch(a);
    assertThat(read(address("total"))).isEqualTo(1127);
    assertThat(read(address("other"))).isEqualTo(9);
  }

  @ParameterizedTest
  @ValueSource(strings = {"scale", "total"})
  void aFillThatNothingOrdersAgainstAKernelIsARace(String name) {
    long address = address(name);
    device.collectFindings();
    launch(a);
    driver.fillAsync(address, Integer.BYTES, 1, 1, b);
    assertThat(device.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind())
                  .isEqualTo(name.equals("total") ? Kind.WRITE_WRITE : Kind.READ_WRITE);
              assertThat(finding.first().what()).startsWith("add");
              assertThat(finding.address()).isEqualTo(address);
              assertThat(finding.bytes()).isEqualTo(4);
            });
  }

  @Test
  void variablesThatAKernelDoesNotTouchAreNoRace() {
    long other = address("other");
    device.collectFindings();
    launch(a);
    driver.fillAsync(other, Integer.BYTES, 1, 1, b);
    driver.fillAsync(address("pair"), Integer.BYTES, 1, 1, b);
    driver.fillAsync(address("odd"), Byte.BYTES, 1, 2, b);
    assertThat(device.findings()).isEmpty();
  }

  @Test
  void aVariableIsGoneWithItsModule() {
    long before = driver.memoryInfo().freeInBytes();
    long address = address("total");
    driver.unloadModule(module);
    assertThat(driver.memoryInfo().freeInBytes()).isGreaterThan(before);
    driver.fillAsync(address, Integer.BYTES, 1, 1, a);
    assertThatThrownBy(() -> driver.synchronizeStream(a))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("4 bytes that is freed");
  }
}
