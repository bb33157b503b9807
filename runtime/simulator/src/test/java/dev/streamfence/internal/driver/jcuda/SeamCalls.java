package dev.streamfence.internal.driver.jcuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.ContextHandle;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.GraphHandle;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.GraphCondition;
import dev.streamfence.internal.driver.GraphNode;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.simulation.DriverCall;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One driver with one handle of each kind, and a sample of each call of the table: the method of
 * its name with any handles and numbers, unless it needs others. Confined to one thread.
 */
final class SeamCalls {
  static final String PTX =
      """
      .version 8.0
      .target sm_70
      .address_size 64
      .global .u32 level;
      .const .b8 limits[24];
      .visible .entry nothing() { ret; }
      .visible .entry kinds(
        .param .s8 a, .param .u16 b, .param .s16 c, .param .s32 d,
        .param .s64 e, .param .f32 f, .param .f64 g, .param .u64 h
      ) { ret; }
      """;

  final CudaDriver driver;
  final StreamHandle stream;
  final EventHandle event;
  final EventHandle timed;
  final long memory;
  final long directMemory;
  final HostMemory host;
  final ModuleHandle module;
  final FunctionHandle function;
  final GraphHandle graph;
  private final GraphHandle otherGraph;

  SeamCalls(CudaDriver driver) {
    this.driver = driver;
    stream = driver.createStream(0);
    event = driver.createEvent();
    timed = driver.createTimedEvent();
    driver.recordEvent(timed, stream);
    driver.synchronizeEvent(timed);
    memory = driver.allocateAsync(64, stream);
    directMemory = driver.allocate(64);
    host = driver.allocateHost(64);
    module = driver.loadModule("module.ptx", ptx());
    function = driver.function(module, "nothing");
    graph = driver.createGraph(List.of(launchNode(false), copyNode(), fillNode(0, 1)));
    driver.instantiateGraph(graph);
    otherGraph = driver.createGraph(List.of(launchNode(false), copyNode(), fillNode(0, 1)));
    // The first condition loads a module.
    driver.destroyGraph(driver.createGraph(List.of(conditionNode())));
  }

  static byte[] ptx() {
    return PTX.getBytes(StandardCharsets.US_ASCII);
  }

  /** Gives a graph the arguments of one node. */
  static void update(CudaDriver driver, CudaDriver.GraphHandle graph, int index, GraphNode node) {
    BitSet outdated = new BitSet();
    outdated.set(index);
    driver.updateGraph(graph, Collections.nCopies(index + 1, node), outdated);
    assertThat(outdated.isEmpty()).isTrue();
  }

  /** Makes a call, with arguments that the stand-in takes. */
  void make(DriverCall call) {
    sample(call).run();
  }

  private Runnable sample(DriverCall call) {
    return switch (call) {
      case ELAPSED_TIME -> () -> driver.elapsedMillis(timed, timed);
      case FREE_ASYNC -> () -> driver.freeAsync(memory, stream);
      case FREE -> () -> driver.free(directMemory);
      case HOST_DEVICE_ADDRESS -> () -> driver.deviceAddress(host);
      case COPY_TO_DEVICE_ASYNC -> () -> driver.copyToDeviceAsync(memory, host, 0, 64, stream);
      case COPY_TO_HOST_ASYNC -> () -> driver.copyToHostAsync(host, 0, memory, 64, stream);
      case COPY_ON_DEVICE_ASYNC -> () -> driver.copyOnDeviceAsync(memory + 32, memory, 32, stream);
      case COPY_FROM_PEER_ASYNC ->
          () -> {
            driver.waitForPeerEvent(stream, event);
            driver.copyFromPeerAsync(memory + 32, driver.context(), memory, 32, stream);
          };
      case FILL_8_ASYNC -> () -> driver.fillAsync(memory, Byte.BYTES, 1, 64, stream);
      case FILL_16_ASYNC -> () -> driver.fillAsync(memory, Short.BYTES, 1, 32, stream);
      case FILL_32_ASYNC -> () -> driver.fillAsync(memory, Integer.BYTES, 1, 16, stream);
      case FILL_32_STRIDED_ASYNC -> () -> driver.fill32StridedAsync(memory, 8, 1, 8, stream);
      case MODULE_VARIABLE -> () -> driver.variable(module, "level");
      case LAUNCH_KERNEL -> () -> launch(false, host);
      case LAUNCH_COOPERATIVE_KERNEL -> () -> launch(true, host);
      case INSTANTIATE_GRAPH -> () -> driver.instantiateGraph(otherGraph);
      case UPDATE_GRAPH -> () -> driver.moveExecutable(graph, otherGraph);
      case ADD_KERNEL_NODE -> () -> driver.createGraph(List.of(launchNode(false)));
      case SET_KERNEL_NODE_ATTRIBUTE -> () -> driver.createGraph(List.of(launchNode(true)));
      case CREATE_CONDITION, ADD_CONDITION -> () -> driver.createGraph(List.of(conditionNode()));
      case ADD_COPY_NODE -> () -> driver.createGraph(List.of(launchNode(false), copyNode()));
      case ADD_FILL_NODE ->
          () -> driver.createGraph(List.of(launchNode(false), copyNode(), fillNode(0, 1)));
      case UPDATE_KERNEL_NODE -> () -> update(driver, graph, 0, launchNode(false));
      case UPDATE_COPY_NODE -> () -> update(driver, graph, 1, copyNode());
      case UPDATE_FILL_NODE -> () -> update(driver, graph, 2, fillNode(0, 1));
      case DESTROY_EXECUTABLE_GRAPH, DESTROY_GRAPH -> () -> driver.destroyGraph(graph);
      case STREAM_CONTEXT -> () -> driver.foreignStream(driver.rawHandle(stream));
      case END_CAPTURE -> () -> driver.discardCapture(stream);
      case POINTER_INFO -> () -> driver.pointerInfo(memory);
      default -> derived(call);
    };
  }

  /** A call of the method that has the name of the call, with something of each type. */
  private Runnable derived(DriverCall call) {
    String name = camelCase(call.name());
    Method method =
        Stream.of(CudaDriver.class.getMethods())
            .filter(each -> each.getName().equals(name))
            .findFirst()
            .orElseThrow(() -> new AssertionError("no method " + name + "; add a sample here"));
    Object[] arguments = Stream.of(method.getParameterTypes()).map(this::something).toArray();
    return () -> {
      try {
        method.invoke(driver, arguments);
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof RuntimeException cause) {
          throw cause;
        }
        throw new AssertionError(e);
      } catch (IllegalAccessException e) {
        throw new AssertionError(e);
      }
    };
  }

  private static String camelCase(String constant) {
    return Pattern.compile("_(.)")
        .matcher(constant.toLowerCase(Locale.ROOT))
        .replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
  }

  private Object something(Class<?> type) {
    Map<Class<?>, Object> samples = new HashMap<>();
    samples.put(int.class, 32);
    samples.put(long.class, 64L);
    samples.put(String.class, "nothing");
    samples.put(byte[].class, ptx());
    samples.put(List.class, List.of());
    samples.put(StreamHandle.class, stream);
    samples.put(EventHandle.class, event);
    samples.put(HostMemory.class, host);
    samples.put(ModuleHandle.class, module);
    samples.put(FunctionHandle.class, function);
    samples.put(GraphHandle.class, graph);
    samples.put(ContextHandle.class, driver.context());
    return Optional.ofNullable(samples.get(type))
        .orElseThrow(() -> new AssertionError("no sample of a " + type));
  }

  private GraphNode launchNode(boolean cooperative) {
    return new Node(
        (sink, on) -> sink.launchKernel(new KernelLaunch(function, cooperative, on, host)));
  }

  private GraphNode copyNode() {
    return new Node((sink, on) -> sink.copyOnDeviceAsync(memory + 32, memory, 32, on), 0);
  }

  private GraphNode fillNode(int... after) {
    return new Node((sink, on) -> sink.fillAsync(memory, Short.BYTES, -1, 32, on), after);
  }

  private GraphNode conditionNode() {
    return new ConditionNode(new GraphCondition(true, memory, List.of(fillNode())));
  }

  /** A condition as a recording makes it. */
  record ConditionNode(GraphCondition condition) implements GraphNode {
    @Override
    public int[] after() {
      return new int[0];
    }

    @Override
    public void put(Sink sink, StreamHandle on) {
      throw new AssertionError("a condition is no call");
    }

    @Override
    public String purpose() {
      return "a condition";
    }

    @Override
    public List<LaunchObserver.Use> uses() {
      return List.of();
    }
  }

  /** A node as a recording makes it. */
  record Node(BiConsumer<Sink, StreamHandle> call, int... after) implements GraphNode {
    @Override
    public void put(Sink sink, StreamHandle on) {
      call.accept(sink, on);
    }

    @Override
    public String purpose() {
      return "a node";
    }

    @Override
    public List<LaunchObserver.Use> uses() {
      return List.of();
    }
  }

  void launch(boolean cooperative, HostMemory parameters) {
    driver.launchKernel(new KernelLaunch(function, cooperative, stream, parameters));
  }
}
