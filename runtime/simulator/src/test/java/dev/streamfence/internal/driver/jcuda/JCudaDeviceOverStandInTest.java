package dev.streamfence.internal.driver.jcuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.FunctionAttributes;
import dev.streamfence.internal.driver.GraphCondition;
import dev.streamfence.internal.driver.GraphNode;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.MemoryInfo;
import dev.streamfence.internal.driver.ModuleVariable;
import dev.streamfence.internal.driver.PointerInfo;
import dev.streamfence.simulation.DriverCall;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The calls of the seam arrive at the driver, through JCuda's real native library. */
class JCudaDeviceOverStandInTest {
  private StandIn standIn;
  private CudaDriver driver;
  private SeamCalls fixture;

  @BeforeEach
  void open() {
    standIn = StandIn.loaded();
    driver = JCudaDevices.open(1);
    fixture = new SeamCalls(driver);
  }

  @AfterEach
  void close() {
    if (driver != null) {
      driver.close();
    }
  }

  @Test
  void devicesAreCountedAndDescribed() {
    assertThat(JCudaDevices.count()).isEqualTo(2);
    DeviceProperties properties = driver.properties();
    assertThat(properties.identity())
        .isEqualTo(
            new DeviceProperties.Identity(
                "Stand-in 1",
                1,
                UUID.fromString("00112233-4455-6677-8899-aabbccddee01"),
                "0000:3B:00.0"));
    assertThat(properties.driverVersion()).isEqualTo(12060);
    assertThat(properties.totalMemoryInBytes()).isEqualTo(81L << 30);
    assertThat(properties.maxThreadsPerBlock()).isEqualTo(1001);
    assertThat(properties.reservedSharedBytesPerBlock()).isEqualTo(1111);
    assertThat(properties.hasMemoryPools()).isTrue();
    assertThat(driver.memoryInfo()).isEqualTo(new MemoryInfo((81L << 30) - 4096, 81L << 30));
  }

  @Test
  void aCopyFromAnotherDeviceNamesBothContexts() {
    try (CudaDriver other = JCudaDevices.open(0)) {
      SeamCalls there = new SeamCalls(other);
      assertThat(
              standIn.lastCall(
                  () ->
                      driver.copyFromPeerAsync(
                          fixture.memory, other.context(), there.memory, 64, fixture.stream)))
          .startsWith("cuMemcpyPeerAsync context=1 from=0 to=1 bytes=64");
      assertThat(standIn.lastCall(() -> driver.waitForPeerEvent(fixture.stream, there.event)))
          .startsWith("cuStreamWaitEvent context=1");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> driver.waitForEvent(fixture.stream, there.event));
      assertThat(driver.isPeer(other.context())).isTrue();
      assertThat(driver.canAccessPeer(other.context())).isTrue();
      assertThat(standIn.lastCall(() -> driver.enablePeerAccess(other.context())))
          .isEqualTo("cuCtxEnablePeerAccess context=1 peer=0 flags=0");
      assertThat(standIn.lastCall(() -> other.sharePool(driver.context())))
          .isEqualTo("cuMemPoolSetAccess context=0 pool=1 location=1 device=1 flags=3 number=1");
    }
  }

  @Test
  void aCooperativeLaunchHasItsOwnDriverCall() {
    assertThat(
            standIn.lastCall(
                () ->
                    driver.launchKernel(
                        new KernelLaunch(fixture.function, true, fixture.stream, fixture.host)
                            .grid(2, 3, 4)
                            .block(5, 6, 7)
                            .dynamicSharedBytes(8))))
        .startsWith("cuLaunchCooperativeKernel context=1 function=nothing grid=2,3,4 block=5,6,7")
        .contains(" shared=8 ");
  }

  @Test
  void variablesOfAModuleAreFoundByName() {
    ModuleVariable[] found = new ModuleVariable[2];
    assertThat(standIn.lastCall(() -> found[0] = driver.variable(fixture.module, "limits")))
        .startsWith("cuModuleGetGlobal context=1 module=")
        .endsWith(" name=limits");
    assertThat(found[0].sizeInBytes()).isEqualTo(24);
    found[1] = driver.variable(fixture.module, "level");
    assertThat(found[1]).isEqualTo(new ModuleVariable(found[0].address(), 4));
    assertThatThrownBy(() -> driver.variable(fixture.module, "missing"))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("module.ptx")
        .hasMessageContaining("it has no variable missing");
  }

  @Test
  void theDriverTellsTheOccupancy() {
    assertThat(
            standIn.lastCall(
                () ->
                    assertThat(driver.residentBlocksPerMultiprocessor(fixture.function, 96, 4096))
                        .isEqualTo(3)))
        .isEqualTo(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor context=1 function=nothing threads=96"
                + " shared=4096");
  }

  @Test
  void theDriverSuggestsABlockSize() {
    assertThat(
            standIn.lastCall(
                () -> assertThat(driver.suggestedBlockSize(fixture.function, 4096)).isEqualTo(768)))
        .isEqualTo(
            "cuOccupancyMaxPotentialBlockSize context=1 function=nothing callback=0 shared=4096"
                + " limit=0");
  }

  @Test
  void freedMemoryIsKeptByThePoolOfTheDevice() {
    assertThat(standIn.lastCall(() -> driver.keepFreedMemory(1L << 40)))
        .isEqualTo("cuMemPoolSetAttribute context=1 pool=2 attribute=4 value=1099511627776");
  }

  @Test
  void streamsAndEventsAreMadeWithTheFlagsThatTheSeamPromises() {
    assertThat(standIn.lastCall(() -> driver.createStream(-5)))
        .isEqualTo("cuStreamCreateWithPriority context=1 flags=1 priority=-5");
    assertThat(standIn.lastCall(() -> driver.createEvent()))
        .isEqualTo("cuEventCreate context=1 flags=2");
  }

  @Test
  void argumentsOfEveryKindArriveAsTheyLieInTheFrame() {
    HostMemory frame = frameOfEveryKind();
    CudaDriver.FunctionHandle kinds = driver.function(fixture.module, "kinds");

    String call =
        standIn.lastCall(
            () ->
                driver.launchKernel(
                    new KernelLaunch(kinds, false, fixture.stream, frame)
                        .grid(2, 3, 4)
                        .block(5, 6, 7)
                        .dynamicSharedBytes(8)));

    assertThat(call)
        .startsWith("cuLaunchKernel context=1 function=kinds grid=2,3,4 block=5,6,7 shared=8 ")
        .contains("extra=0")
        .endsWith(argumentsOfEveryKind());
  }

  private HostMemory frameOfEveryKind() {
    HostMemory whole = driver.allocateHost(1024);
    HostMemory frame = whole.slice(256, 512);
    ByteBuffer bytes = frame.buffer();
    for (int i = 0; i < 8; i++) {
      bytes.putLong(i * 8, frame.address() + 64 + i * 8);
    }
    bytes.put(64, (byte) -2);
    bytes.putChar(72, 'Z');
    bytes.putShort(80, (short) -3);
    bytes.putInt(88, 0x01020304);
    bytes.putLong(96, 0x1122334455667788L);
    bytes.putFloat(104, 1.5f);
    bytes.putDouble(112, -2.25);
    bytes.putLong(120, fixture.memory);
    return frame;
  }

  private String argumentsOfEveryKind() {
    return "arguments=fe,5a00,fdff,04030201,8877665544332211,0000c03f,00000000000002c0,"
        + hex(fixture.memory);
  }

  private static String hex(long value) {
    return String.format("%016x", Long.reverseBytes(value));
  }

  @Test
  void copiesMoveTheBytesBetweenTheGivenOffsets() {
    HostMemory host = driver.allocateHost(64);
    for (int i = 0; i < 64; i++) {
      host.buffer().put(i, (byte) i);
    }

    driver.copyToDeviceAsync(fixture.memory + 8, host, 16, 8, fixture.stream);
    driver.copyOnDeviceAsync(fixture.memory + 32, fixture.memory + 8, 8, fixture.stream);
    driver.copyToHostAsync(host.slice(32, 32), 4, fixture.memory + 32, 8, fixture.stream);

    assertThat(IntStream.range(34, 46).map(i -> host.buffer().get(i)))
        .containsExactly(34, 35, 16, 17, 18, 19, 20, 21, 22, 23, 44, 45);
  }

  @Test
  void fillsWriteTheirValueToTheirBytesAlone() {
    driver.fillAsync(fixture.memory, Byte.BYTES, 0, 64, fixture.stream);
    driver.fillAsync(fixture.memory, Byte.BYTES, -1, 3, fixture.stream);
    driver.fillAsync(fixture.memory + 8, Short.BYTES, -2, 2, fixture.stream);
    driver.fillAsync(fixture.memory + 16, Integer.BYTES, -3, 1, fixture.stream);
    driver.fill32StridedAsync(fixture.memory + 32, 8, 7, 3, fixture.stream);
    driver.copyToHostAsync(fixture.host, 0, fixture.memory, 64, fixture.stream);

    ByteBuffer bytes = fixture.host.buffer();
    assertThat(LongStream.range(0, 8).map(i -> bytes.getLong((int) i * 8)))
        .containsExactly(0xFFFFFFL, 0xFFFEFFFEL, 0xFFFFFFFDL, 0L, 7L, 7L, 7L, 0L);
  }

  @Test
  void memoryWithoutAStreamIsAllocatedAndFreedImmediately() {
    long live = standIn.live(StandIn.Kind.DEVICE_MEMORY);
    long[] address = new long[1];

    String allocation = standIn.lastCall(() -> address[0] = driver.allocate(1 << 20));

    assertThat(allocation).isEqualTo("cuMemAlloc context=1 bytes=1048576");
    assertThat(standIn.live(StandIn.Kind.DEVICE_MEMORY)).isEqualTo(live + 1);
    driver.fillAsync(address[0], Byte.BYTES, 7, 1 << 20, fixture.stream);
    driver.copyToHostAsync(fixture.host, 0, address[0] + (1 << 20) - 8, 8, fixture.stream);
    assertThat(fixture.host.buffer().getLong(0)).isEqualTo(0x0707_0707_0707_0707L);
    driver.free(address[0]);
    assertThat(standIn.live(StandIn.Kind.DEVICE_MEMORY)).isEqualTo(live);
  }

  @Test
  void pageLockedMemoryIsOneBufferInNativeOrder() {
    HostMemory host = driver.allocateHost(1 << 20);

    assertThat(host.sizeInBytes()).isEqualTo(1 << 20);
    assertThat(host.buffer()).isSameAs(host.buffer());
    assertThat(host.buffer().order()).isEqualTo(ByteOrder.nativeOrder());
    HostMemory part = host.slice(4096, 16);
    part.buffer().putInt(12, 99);
    assertThat(host.buffer().getInt(4096 + 12)).isEqualTo(99);
    assertThat(part.address()).isEqualTo(host.address() + 4096);
    assertThat(part.buffer().order()).isEqualTo(ByteOrder.nativeOrder());
    assertThat(part.slice(8, 8).address()).isEqualTo(host.address() + 4096 + 8);
  }

  @Test
  void rangesOutsidePageLockedMemoryAreRefused() {
    HostMemory host = driver.allocateHost(16);

    assertThatThrownBy(() -> host.slice(8, 9)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> driver.copyToDeviceAsync(fixture.memory, host, 8, 9, fixture.stream))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> driver.copyToHostAsync(host, -1, fixture.memory, 4, fixture.stream))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void sizesBelowOneAreRefused(long bytes) {
    assertThatIllegalArgumentException().isThrownBy(() -> driver.allocateHost(bytes));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> driver.allocateAsync(bytes, fixture.stream));
    assertThatIllegalArgumentException().isThrownBy(() -> driver.allocate(bytes));
  }

  @Test
  void pageLockedMemoryLargerThanABufferIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> driver.allocateHost(1L << 31));
  }

  @Test
  void aFunctionHasItsLimitsAndTakesMoreSharedMemory() {
    assertThat(driver.attributes(fixture.function)).isEqualTo(new FunctionAttributes(500, 501));
    assertThat(standIn.lastCall(() -> driver.allowDynamicSharedBytes(fixture.function, 99_000)))
        .isEqualTo("cuFuncSetAttribute context=1 attribute=8 value=99000");
  }

  @Test
  void theImageReachesTheDriverWithAnEndMark() {
    assertThat(standIn.trace(() -> driver.loadModule("m", SeamCalls.ptx())))
        .contains("cuModuleLoadDataEx context=1 text=" + SeamCalls.PTX.length() + " options=4");
  }

  @Test
  void aStreamAndAnEventMadeElsewhereAreUsedByTheirRawHandles() {
    StreamHandle stream = driver.foreignStream(driver.rawHandle(fixture.stream));
    EventHandle event = driver.foreignEvent(driver.rawHandle(fixture.event));

    String recorded = standIn.lastCall(() -> driver.recordEvent(fixture.event, fixture.stream));
    assertThat(standIn.lastCall(() -> driver.recordEvent(event, stream))).isEqualTo(recorded);
    assertThat(driver.rawHandle(stream)).isEqualTo(driver.rawHandle(fixture.stream));
    assertThat(driver.rawHandle(event)).isEqualTo(driver.rawHandle(fixture.event));
    assertThat(driver.rawHandle(driver.foreignStream(1))).isEqualTo(1);
  }

  @Test
  void aCaptureIsSeenAndDiscardedWithWhatItHas() {
    assertThat(driver.isCapturing(fixture.stream)).isFalse();
    JCudaDriver.cuStreamBeginCapture(
        RawHandle.set(new CUstream(), driver.rawHandle(fixture.stream)),
        CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED);
    assertThat(driver.isCapturing(fixture.stream)).isTrue();
    assertThat(standIn.lastCall(() -> driver.discardCapture(fixture.stream)))
        .startsWith("cuGraphDestroy");
    assertThat(driver.isCapturing(fixture.stream)).isFalse();
    assertThat(standIn.lastCall(() -> driver.discardCapture(fixture.stream)))
        .as("a capture that failed has no graph")
        .startsWith("cuStreamEndCapture");
  }

  @Test
  void theLegacyStreamCountsAsCapturedWhileAStreamThatWaitsForItIs() {
    StreamHandle legacy = driver.foreignStream(1);
    assertThat(driver.isCapturing(legacy)).isFalse();
    standIn.fail("cuStreamIsCapturing", CUresult.CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    assertThat(driver.isCapturing(legacy)).isTrue();
    standIn.turnExceptionsOn();
    assertThat(driver.isCapturing(legacy)).isTrue();
  }

  @Test
  void aCallThatACaptureOfOtherCodeForbidsSaysSo() {
    standIn.fail("cuMemAlloc", CUresult.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assertThatThrownBy(() -> driver.allocate(8))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageStartingWith("cuMemAlloc answered CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED (900)")
        .hasMessageContaining("other code of this process is capturing a stream")
        .hasMessageContaining("end it first, or capture in the relaxed mode");
    standIn.fail("cuMemAlloc", CUresult.CUDA_ERROR_TIMEOUT);
    assertThatThrownBy(() -> driver.allocate(8))
        .hasMessageNotContainingAny("is capturing", "captured");
  }

  @Test
  void aStreamOfAnotherContextIsRefused() {
    try (CudaDriver other = JCudaDevices.open(0)) {
      long theirs = other.rawHandle(other.createStream(0));

      assertThatIllegalArgumentException()
          .isThrownBy(() -> driver.foreignStream(theirs))
          .withMessageContaining("0x" + Long.toHexString(theirs))
          .withMessageContaining("another context")
          .withMessageContaining("device 1");
    }
  }

  @Test
  void theDriverTellsWhereAnAddressLies() {
    assertThat(driver.pointerInfo(fixture.directMemory))
        .isEqualTo(new PointerInfo(PointerInfo.MemoryPlace.DEVICE, 1, fixture.directMemory, 64));
    assertThat(driver.pointerInfo(driver.deviceAddress(fixture.host)).place())
        .isEqualTo(PointerInfo.MemoryPlace.HOST);
    assertThat(driver.pointerInfo(0))
        .isEqualTo(new PointerInfo(PointerInfo.MemoryPlace.UNKNOWN, -1, 0, 0));
  }

  @Test
  void timedEventsMeasureTheTimeBetweenThem() {
    assertThat(standIn.lastCall(() -> driver.createTimedEvent()))
        .isEqualTo("cuEventCreate context=1 flags=0");
    assertThat(driver.elapsedMillis(fixture.timed, fixture.timed)).isEqualTo(0.5f);
  }

  @Test
  void everyCreatedObjectIsDestroyed() {
    long streams = standIn.live(StandIn.Kind.STREAM);
    List<Long> before = standIn.live();
    CudaDriver other = JCudaDevices.open(1);
    SeamCalls made = new SeamCalls(other);
    assertThat(standIn.live(StandIn.Kind.STREAM)).isEqualTo(streams + 1);

    other.freeAsync(made.memory, made.stream);
    other.free(made.directMemory);
    other.freeHost(made.host);
    other.destroyEvent(made.event);
    other.destroyEvent(made.timed);
    other.destroyStream(made.stream);
    other.unloadModule(made.module);
    other.close();

    int functions = StandIn.Kind.FUNCTION.ordinal();
    assertThat(standIn.live().subList(0, functions)).isEqualTo(before.subList(0, functions));
  }

  @Test
  void aDestroyedHandleIsRefusedBeforeTheDriverSeesIt() {
    driver.destroyEvent(fixture.event);
    driver.freeHost(fixture.host);
    driver.unloadModule(fixture.module);
    HostMemory live = driver.allocateHost(8);

    assertRefused(() -> driver.recordEvent(fixture.event, fixture.stream));
    assertRefused(() -> driver.waitForEvent(fixture.stream, fixture.event));
    assertRefused(() -> driver.isEventComplete(fixture.event));
    assertRefused(() -> driver.synchronizeEvent(fixture.event));
    assertRefused(() -> driver.destroyEvent(fixture.event));
    assertRefused(() -> driver.freeHost(fixture.host));
    assertRefused(() -> driver.copyToHostAsync(fixture.host, 0, 0, 1, fixture.stream));
    assertRefused(() -> driver.copyToDeviceAsync(0, fixture.host, 0, 1, fixture.stream));
    assertRefused(() -> driver.unloadModule(fixture.module));
    assertRefused(() -> driver.function(fixture.module, "nothing"));
    assertRefused(() -> driver.attributes(fixture.function));
    assertRefused(() -> fixture.launch(false, live));
    driver.destroyStream(fixture.stream);
    assertRefused(() -> driver.destroyStream(fixture.stream));
    assertRefused(() -> driver.synchronizeStream(fixture.stream));
    assertRefused(() -> driver.isStreamIdle(fixture.stream));
    assertRefused(() -> driver.allocateAsync(8, fixture.stream));
    assertThatIllegalStateException().isThrownBy(() -> fixture.host.buffer());
    assertThatIllegalStateException().isThrownBy(() -> fixture.host.slice(0, 1));
  }

  @Test
  void aPartOfPageLockedMemoryIsNotFreedAlone() {
    HostMemory part = fixture.host.slice(0, 8);

    assertRefused(() -> driver.freeHost(part));
    driver.freeHost(fixture.host);
    assertRefused(() -> fixture.launch(false, part));
  }

  @Test
  void handlesOfAnotherDriverAreRefusedEvenOfTheSameDevice() {
    try (CudaDriver other = JCudaDevices.open(1)) {
      SeamCalls foreign = new SeamCalls(other);
      assertRefused(() -> driver.synchronizeStream(foreign.stream));
      assertRefused(() -> driver.destroyStream(foreign.stream));
      assertRefused(() -> driver.recordEvent(foreign.event, fixture.stream));
      assertRefused(() -> driver.waitForEvent(fixture.stream, foreign.event));
      assertRefused(() -> driver.unloadModule(foreign.module));
      assertRefused(() -> driver.attributes(foreign.function));
      assertRefused(() -> driver.freeHost(foreign.host));
      assertRefused(() -> fixture.launch(false, foreign.host));
      other.destroyStream(foreign.stream);
    }
  }

  @Test
  void theNodesOfAGraphArriveWithTheirArgumentsAndEdges() {
    CudaDriver.FunctionHandle kinds = driver.function(fixture.module, "kinds");
    HostMemory frame = frameOfEveryKind();
    String memory = "0x" + Long.toHexString(fixture.memory);
    String host = "0x" + Long.toHexString(fixture.host.address());
    List<GraphNode> nodes =
        List.of(
            new SeamCalls.Node(
                (sink, on) ->
                    sink.launchKernel(
                        new KernelLaunch(kinds, true, on, frame)
                            .grid(2, 3, 4)
                            .block(5, 6, 7)
                            .dynamicSharedBytes(8))),
            new SeamCalls.Node(
                (sink, on) -> sink.copyToDeviceAsync(fixture.memory, fixture.host, 8, 16, on), 0),
            new SeamCalls.Node(
                (sink, on) -> sink.copyToHostAsync(fixture.host, 0, fixture.memory, 8, on), 0, 1),
            new SeamCalls.Node(
                (sink, on) -> sink.copyOnDeviceAsync(fixture.memory, fixture.memory, 4, on)),
            new SeamCalls.Node((sink, on) -> sink.fillAsync(fixture.memory, Byte.BYTES, -1, 9, on)),
            new SeamCalls.Node(
                (sink, on) -> sink.fillAsync(fixture.memory, Short.BYTES, -1, 9, on)),
            new SeamCalls.Node(
                (sink, on) -> sink.fillAsync(fixture.memory, Integer.BYTES, -1, 9, on), 5),
            new SeamCalls.Node(
                (sink, on) -> sink.fill32StridedAsync(fixture.memory, 24, 7, 2, on), 6));

    List<String> trace =
        new ArrayList<>(
            standIn.trace(
                () -> {
                  CudaDriver.GraphHandle graph = driver.createGraph(nodes);
                  driver.instantiateGraph(graph);
                  driver.launchGraph(graph, fixture.stream);
                  SeamCalls.update(driver, graph, 7, nodes.get(7));
                  SeamCalls.update(driver, graph, 1, nodes.get(1));
                  SeamCalls.update(driver, graph, 0, nodes.get(0));
                  driver.destroyGraph(graph);
                }));

    trace.removeIf(line -> line.startsWith("cuCtxSetCurrent"));
    String arguments = " " + argumentsOfEveryKind();
    assertThat(trace)
        .extracting(line -> line.replaceFirst(" context=1", "").replaceFirst("graph=\\d+", "graph"))
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("cuGraphCreate flags=0"),
            line ->
                assertThat(line)
                    .startsWith(
                        "cuGraphAddKernelNode nodes= function=kinds grid=2,3,4 block=5,6,7 shared=8"
                            + " extra=0 kernel=0"
                            + arguments),
            line ->
                assertThat(line)
                    .isEqualTo("cuGraphKernelNodeSetAttribute node=1 attribute=2 value=1"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "cuGraphAddMemcpyNode nodes=1 types=1,2 from=0x"
                            + Long.toHexString(fixture.host.address() + 8)
                            + " to="
                            + memory
                            + " size=16,1,1"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "cuGraphAddMemcpyNode nodes=1,2 types=2,1 from="
                            + memory
                            + " to="
                            + host
                            + " size=8,1,1"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "cuGraphAddMemcpyNode nodes= types=2,2 from="
                            + memory
                            + " to="
                            + memory
                            + " size=4,1,1"),
            line ->
                assertThat(line).isEqualTo(fill("Add", "", memory, "255 element=1 pitch=0", 9, 1)),
            line ->
                assertThat(line)
                    .isEqualTo(fill("Add", "", memory, "65535 element=2 pitch=0", 9, 1)),
            line ->
                assertThat(line)
                    .isEqualTo(fill("Add", "6", memory, "4294967295 element=4 pitch=0", 9, 1)),
            line ->
                assertThat(line).isEqualTo(fill("Add", "7", memory, "7 element=4 pitch=24", 1, 2)),
            line -> assertThat(line).isEqualTo("cuGraphInstantiate graph flags=0"),
            line -> assertThat(line).startsWith("cuGraphLaunch graph stream="),
            line ->
                assertThat(line)
                    .startsWith("cuGraphExecMemsetNodeSetParams nodes=8 to=" + memory + " value=7"),
            line -> assertThat(line).startsWith("cuGraphExecMemcpyNodeSetParams nodes=2 types=1,2"),
            line ->
                assertThat(line)
                    .startsWith("cuGraphExecKernelNodeSetParams node=1 function=kinds" + arguments),
            line -> assertThat(line).isEqualTo("cuGraphExecDestroy graph"),
            line -> assertThat(line).isEqualTo("cuGraphDestroy graph"));
  }

  @Test
  void anExecutableGraphMovesToAnotherGraphUnlessTheDriverCannotChangeIt() {
    GraphNode node =
        new SeamCalls.Node((sink, on) -> sink.fillAsync(fixture.memory, Byte.BYTES, 1, 1, on));
    CudaDriver.GraphHandle first = driver.createGraph(List.of(node));
    CudaDriver.GraphHandle second = driver.createGraph(List.of(node));
    driver.instantiateGraph(first);

    standIn.fail("cuGraphExecUpdate", 910);
    assertThat(driver.moveExecutable(first, second)).isFalse();
    standIn.reset();
    driver.launchGraph(first, fixture.stream);
    assertThat(driver.moveExecutable(first, second)).isTrue();
    driver.launchGraph(second, fixture.stream);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> driver.launchGraph(first, fixture.stream))
        .withMessageContaining("is not executable");
    assertThat(standIn.trace(() -> driver.destroyGraph(second)))
        .anyMatch(line -> line.startsWith("cuGraphExecDestroy"));
    assertThat(standIn.trace(() -> driver.destroyGraph(first)))
        .noneMatch(line -> line.startsWith("cuGraphExecDestroy"));
  }

  @Test
  void aGraphThatTheDriverDoesNotDestroyCanBeDestroyedLaterAndNothingOfItTwice() {
    GraphNode node =
        new SeamCalls.Node((sink, on) -> sink.fillAsync(fixture.memory, Byte.BYTES, 1, 1, on));
    long before = standIn.live(StandIn.Kind.GRAPH);
    CudaDriver.GraphHandle first = driver.createGraph(List.of(node));
    CudaDriver.GraphHandle second = driver.createGraph(List.of(node));
    driver.instantiateGraph(first);
    assertThat(driver.moveExecutable(first, second)).isTrue();

    standIn.fail("cuGraphDestroy", CUresult.CUDA_ERROR_INVALID_VALUE, 1);
    List<String> refused =
        standIn.trace(
            () ->
                assertThatThrownBy(() -> driver.destroyGraph(second))
                    .isInstanceOf(CudaDriverException.class));
    standIn.reset();
    List<String> later = standIn.trace(() -> driver.destroyGraph(second));

    assertThat(refused)
        .extracting(JCudaDeviceOverStandInTest::function)
        .containsSubsequence("cuGraphExecDestroy", "cuGraphDestroy", "cuGraphDestroy");
    assertThat(later)
        .filteredOn(line -> line.startsWith("cuGraph"))
        .containsExactly(refused.get(refused.size() - 1));
    driver.destroyGraph(first);
    assertThat(standIn.live(StandIn.Kind.GRAPH)).isEqualTo(before);
  }

  @Test
  void pageLockedMemoryThatTheDriverDoesNotFreeCanBeFreedLater() {
    long before = standIn.live(StandIn.Kind.HOST_MEMORY);
    HostMemory host = driver.allocateHost(8);
    standIn.fail("cuMemFreeHost", CUresult.CUDA_ERROR_INVALID_VALUE);

    assertThatThrownBy(() -> driver.freeHost(host)).isInstanceOf(CudaDriverException.class);
    standIn.reset();
    driver.freeHost(host);

    assertThat(standIn.live(StandIn.Kind.HOST_MEMORY)).isEqualTo(before);
  }

  @Test
  void theKernelOfConditionsIsUnloadedUnlessTheDeviceIsLost() {
    assertThat(standIn.trace(driver::close))
        .extracting(JCudaDeviceOverStandInTest::function)
        .contains("cuModuleUnload");
    try (CudaDriver other = JCudaDevices.open(1)) {
      SeamCalls made = new SeamCalls(other);
      standIn.fail("cuCtxSynchronize", CUresult.CUDA_ERROR_ILLEGAL_ADDRESS);
      assertThatThrownBy(made.driver::synchronizeDevice).isInstanceOf(CudaDriverException.class);

      assertThat(standIn.trace(other::close))
          .extracting(JCudaDeviceOverStandInTest::function)
          .containsExactly("cuDevicePrimaryCtxRelease");
    }
  }

  private static String function(String call) {
    return call.substring(0, call.indexOf(' '));
  }

  @Test
  void aLoopOfAGraphReadsItsNumberBeforeItAndAfterTheLastNodesOfAPass() {
    GraphNode fill =
        new SeamCalls.Node((sink, on) -> sink.fillAsync(fixture.memory, Byte.BYTES, 1, 1, on));
    GraphNode other =
        new SeamCalls.Node((sink, on) -> sink.fillAsync(fixture.memory, Byte.BYTES, 2, 2, on));
    GraphNode behind =
        new SeamCalls.Node((sink, on) -> sink.fillAsync(fixture.memory, Byte.BYTES, 3, 3, on), 0);
    GraphCondition inner = new GraphCondition(false, fixture.memory, List.of(fill));
    List<GraphNode> pass = List.of(fill, other, behind, new SeamCalls.ConditionNode(inner));
    GraphCondition loop = new GraphCondition(true, fixture.memory + 4, pass);

    List<String> trace =
        standIn.trace(
            () -> {
              CudaDriver.GraphHandle graph =
                  driver.createGraph(List.of(new SeamCalls.ConditionNode(loop), fill));
              driver.instantiateGraph(graph);
              SeamCalls.update(driver, graph, 3, behind);
              SeamCalls.update(driver, graph, 5, fill);
              SeamCalls.update(driver, graph, 6, fill);
              driver.destroyGraph(graph);
            });

    assertThat(trace)
        .filteredOn(line -> line.contains("Node") || line.contains("Conditional"))
        .extracting(line -> line.replaceFirst("grid=.*arguments=", "").replace(" context=1", ""))
        .extracting(line -> line.replaceFirst(" to=.*", ""))
        .containsExactly(
            "cuGraphConditionalHandleCreate initial=0 flags=0",
            "cuGraphAddKernelNode nodes= function=streamfence_condition " + arguments(4),
            "cuGraphAddNode nodes=1 type=13 handle=7 kind=1 graphs=1",
            "cuGraphAddMemsetNode nodes=",
            "cuGraphAddMemsetNode nodes=",
            "cuGraphAddMemsetNode nodes=3",
            "cuGraphConditionalHandleCreate initial=0 flags=0",
            "cuGraphAddKernelNode nodes= function=streamfence_condition " + arguments(0),
            "cuGraphAddNode nodes=6 type=13 handle=7 kind=0 graphs=1",
            "cuGraphAddMemsetNode nodes=",
            "cuGraphAddKernelNode nodes=4,5,7 function=streamfence_condition " + arguments(4),
            "cuGraphAddMemsetNode nodes=",
            "cuGraphExecMemsetNodeSetParams nodes=5",
            "cuGraphExecMemsetNodeSetParams nodes=8",
            "cuGraphExecMemsetNodeSetParams nodes=10");
  }

  /** The arguments of the kernel that reads the number of a condition. */
  private String arguments(long offset) {
    return "0700000000000000,%016x".formatted(Long.reverseBytes(fixture.memory + offset));
  }

  private static String fill(
      String act, String after, String to, String what, int width, int height) {
    return "cuGraph%sMemsetNode nodes=%s to=%s value=%s size=%d,%d"
        .formatted(act, after, to, what, width, height);
  }

  @Test
  void foreignHandlesAreRefused() {
    assertRefused(() -> driver.synchronizeStream(new CudaDriver.StreamHandle() {}));
    assertRefused(() -> driver.synchronizeEvent(new CudaDriver.EventHandle() {}));
    assertRefused(() -> driver.unloadModule(new CudaDriver.ModuleHandle() {}));
    assertRefused(() -> driver.attributes(new CudaDriver.FunctionHandle() {}));
  }

  private void assertRefused(Runnable use) {
    List<String> calls =
        standIn.trace(() -> assertThatIllegalArgumentException().isThrownBy(use::run));
    assertThat(calls).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void everyMethodRefusesToRunAfterClose(DriverCall call) {
    driver.close();

    List<String> calls =
        standIn.trace(
            () ->
                assertThatIllegalStateException()
                    .isThrownBy(() -> fixture.make(call))
                    .withMessage("CUDA device 1 (Stand-in 1) is closed"));

    assertThat(calls).isEmpty();
  }

  @Test
  void closingFromManyThreadsReleasesTheContextOnce() throws Exception {
    long before = standIn.live(StandIn.Kind.CONTEXT);
    CountDownLatch start = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      Callable<Void> closing =
          () -> {
            start.await();
            driver.close();
            return null;
          };
      List<Future<Void>> closings =
          IntStream.range(0, 8).mapToObj(i -> threads.submit(closing)).toList();
      start.countDown();
      for (Future<Void> one : closings) {
        one.get();
      }
    } finally {
      threads.shutdown();
    }

    assertThat(standIn.live(StandIn.Kind.CONTEXT)).isEqualTo(before - 1);
  }
}
