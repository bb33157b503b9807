package dev.streamfence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.column.TimestampUnit;
import dev.streamfence.column.arrow.ArrowDevice;
import dev.streamfence.column.dlpack.DlPack;
import dev.streamfence.column.dlpack.TensorConsumer;
import dev.streamfence.column.dlpack.TensorProducer;
import dev.streamfence.foreign.ForeignCode;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.launch.RecordElement;
import dev.streamfence.memory.AllocationLog;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.Buffer;
import java.nio.IntBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every method that users call refuses null by the name of the argument. */
final class NullArgumentsTest {
  /** What the JVM says of a null that nothing has checked. */
  private static final String UNCHECKED = "Cannot ";

  private static final List<Class<?>> TYPES =
      List.of(
          DeviceRuntime.class,
          DeviceStreams.class,
          DeviceStream.class,
          DeviceMemory.class,
          MemoryReservation.class,
          DeviceArray.class,
          PinnedArray.class,
          DeviceArrays.class,
          RuntimeOptions.class,
          AllocationLog.class,
          MemoryBudget.class,
          ForeignMemory.class,
          LaunchShape.class,
          ElementType.class,
          ArrayElement.class,
          RecordElement.class,
          DeviceTable.class,
          DeviceColumn.class,
          ReadableColumn.class,
          Schema.class,
          ColumnField.class,
          ColumnType.class,
          DlPack.class,
          TensorConsumer.class,
          TensorProducer.class,
          ArrowDevice.class,
          KernelSignature.class,
          KernelImage.class,
          LoadedModule.class,
          SimulatedDevice.class);

  /** Called by the runtime, which passes no null. */
  private static final List<String> CALLED_BY_THE_RUNTIME = List.of("AllocationLog.append");

  private final DeviceRuntime gpu = DeviceRuntime.simulated();
  private final DeviceStream stream = gpu.streams().acquire();
  private final Schema schema = Schema.of(ColumnField.of("k", ColumnType.INT32));
  private final DeviceTable table = DeviceTable.upload(stream, schema, (Object) new int[] {1});
  private final List<Object> samples =
      List.of(
          gpu,
          stream,
          gpu.memory().upload(stream, new int[] {1, 2, 3, 4}),
          gpu.memory().pinned(int[].class, 4),
          gpu.memory(),
          gpu.memory().reserve(100),
          gpu.streams(),
          int[].class,
          "k",
          Duration.ofSeconds(1),
          schema,
          schema.field(0),
          table,
          table.column(0, int[].class),
          List.of(),
          MemoryBudget.unlimited(),
          AllocationLog.none(),
          (UnaryOperator<Object>) same -> same,
          (Consumer<Object>) ignored -> {},
          (ForeignCode<RuntimeException>) call -> {},
          (Function<Object, Object>) same -> same,
          ColumnType.INT32,
          TimestampUnit.SECOND,
          TensorConsumer.onStream(1),
          TensorProducer.done(),
          KernelSignature.entry("k"),
          KernelImage.of("k", new byte[0]),
          LaunchShape.of(1, 1),
          RuntimeOptions.defaults(),
          SimulatedDevice.builder().build(),
          Schedule.EAGER,
          DriverCall.FREE,
          Path.of("k"),
          IntBuffer.allocate(1),
          new byte[1],
          new String[0],
          new Path[0],
          new ColumnField[0],
          new Class<?>[0]);

  @AfterEach
  void close() {
    table.close();
    gpu.close();
  }

  private @Nullable Object sample(Class<?> type) {
    if (type == Object.class) {
      return new int[1];
    }
    if (type == Object[].class) {
      return new Object[0];
    }
    if (type == boolean.class) {
      return false;
    }
    if (type.isPrimitive()) {
      return type == char.class
          ? (Object) 'a'
          : java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(type, 1), 0);
    }
    if (type == Buffer.class) {
      return IntBuffer.allocate(1);
    }
    return samples.stream().filter(type::isInstance).findFirst().orElse(null);
  }

  @Test
  void nullIsRefusedByName() throws Exception {
    List<String> unnamed = new ArrayList<>();
    int tried = 0;
    for (Class<?> type : TYPES) {
      for (Method method : type.getMethods()) {
        if (method.isSynthetic()
            || method.getDeclaringClass() == Object.class
            || method.getName().equals("equals")
            || !method.getDeclaringClass().getName().startsWith("dev.streamfence")
            || CALLED_BY_THE_RUNTIME.contains(type.getSimpleName() + "." + method.getName())) {
          continue;
        }
        Object self = Modifier.isStatic(method.getModifiers()) ? null : sample(type);
        if (self == null && !Modifier.isStatic(method.getModifiers())) {
          continue;
        }
        for (int i = 0; i < method.getParameterCount(); i++) {
          if (!method.getParameterTypes()[i].isPrimitive()
              && !method.getAnnotatedParameterTypes()[i].isAnnotationPresent(Nullable.class)) {
            tried++;
            String outcome = outcome(self, method, i);
            if (!outcome.isEmpty()) {
              unnamed.add(method.toGenericString() + ", argument " + i + ": " + outcome);
            }
          }
        }
      }
    }
    assertThat(unnamed).isEmpty();
    assertThat(tried).isGreaterThan(250);
  }

  /** What is wrong with the refusal of a null; empty if nothing is. */
  private String outcome(@Nullable Object self, Method method, int position) throws Exception {
    Object[] arguments = Arrays.stream(method.getParameterTypes()).map(this::sample).toArray();
    arguments[position] = null;
    try {
      method.invoke(self, arguments);
      return "accepted";
    } catch (InvocationTargetException e) {
      String message = String.valueOf(e.getCause().getMessage());
      // Another argument may be refused first.
      return e.getCause() instanceof NullPointerException
              && (message.startsWith(UNCHECKED) || message.equals("null"))
          ? message
          : "";
    }
  }
}
