package dev.streamfence.it.compare;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import java.util.List;
import java.util.stream.Stream;

/**
 * The cost of the recorder and of the order that it keeps: launches without a launcher, over a
 * driver that does nothing.
 */
final class RecorderRows implements RowGroup {
  private static final String HEADER =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      """;

  private static final String TABLE =
      """
      .visible .entry touchAll(.param .u64 table, .param .u32 n)
      {
      .reg .b64 %rd<5>;
      .reg .b32 %r<2>;
      ld.param.u64 %rd1, [table];
      cvta.to.global.u64 %rd2, %rd1;
      ld.global.u64 %rd3, [%rd2];
      cvta.to.global.u64 %rd4, %rd3;
      ld.global.u32 %r1, [%rd4];
      st.global.u32 [%rd4], %r1;
      ret;
      }
      """;

  /** The bytes of a cache line. */
  private static final int LINE = 64;

  /** More than a core's own caches hold, and less than the one that cores share. */
  private final byte[] other = new byte[8 << 20];

  private DeviceStream stream;
  private LoadedModule module;
  private List<DeviceArray<int[]>> arrays;

  @Override
  public List<String> rows() {
    return List.of(
        "recorder-1",
        "recorder-4",
        "recorder-16",
        "recorder-1-cold",
        "recorder-4-cold",
        "recorder-16-cold",
        "recorder-table",
        "recorder-graph",
        "recorder-allocate");
  }

  @Override
  public void open() {
    DeviceRuntime runtime = Device.IDLE.open(RuntimeOptions.defaults().withCachingPool(true));
    stream = runtime.streams().acquire();
    arrays =
        Stream.generate(() -> runtime.memory().allocateZeroed(stream, int[].class, 1))
            .limit(16)
            .toList();
    String ptx = HEADER + entry(1) + entry(4) + entry(16) + TABLE;
    module = LoadedModule.of(stream, KernelImage.of("touch.ptx", ptx.getBytes(US_ASCII)));
  }

  /** A kernel that loads from each array and stores to it. */
  private static String entry(int arrayCount) {
    StringBuilder parameters = new StringBuilder();
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < arrayCount; i++) {
      parameters.append(".param .u64 a").append(i).append(", ");
      body.append("ld.param.u64 %rd1, [a").append(i).append("];\n");
      body.append("cvta.to.global.u64 %rd2, %rd1;\n");
      body.append("ld.global.u32 %r1, [%rd2];\n");
      body.append("st.global.u32 [%rd2], %r1;\n");
    }
    return """
        .visible .entry touch%d(%s.param .u32 n)
        {
        .reg .b64 %%rd<3>;
        .reg .b32 %%r<2>;
        %sret;
        }
        """
        .formatted(arrayCount, parameters, body);
  }

  @Override
  public double measure(String row) {
    return switch (row) {
      case "recorder-1" -> launch(1);
      case "recorder-4" -> launch(4);
      case "recorder-16" -> launch(16);
      case "recorder-1-cold" -> launchAfterEvicting(1);
      case "recorder-4-cold" -> launchAfterEvicting(4);
      case "recorder-16-cold" -> launchAfterEvicting(16);
      case "recorder-table" -> launchWithTable();
      case "recorder-graph" -> launchGraph();
      case "recorder-allocate" -> allocate();
      default -> throw new IllegalArgumentException(row);
    };
  }

  private double launch(int arrayCount) {
    LaunchRecorder touch = recorder(arrayCount);
    return Batches.nanosEach(
        () -> {
          for (int i = 0; i < Batches.OPERATIONS; i++) {
            launch(touch, arrayCount);
          }
        },
        stream::synchronize);
  }

  /** Between launches, what they need leaves the caches of the core, as the driver may have it. */
  private double launchAfterEvicting(int arrayCount) {
    LaunchRecorder touch = recorder(arrayCount);
    return Batches.nanosAfter(
        () -> {
          for (int i = 0; i < other.length; i += LINE) {
            other[i]++;
          }
        },
        () -> launch(touch, arrayCount));
  }

  private LaunchRecorder recorder(int arrayCount) {
    KernelSignature signature = KernelSignature.entry("touch" + arrayCount);
    for (int i = 0; i < arrayCount; i++) {
      signature = signature.readWrites("a" + i, int[].class);
    }
    return module.recorder(signature.threads("n", int.class, 256));
  }

  private void launch(LaunchRecorder touch, int arrayCount) {
    try (LaunchRecorder recorder = touch.begin()) {
      for (int i = 0; i < arrayCount; i++) {
        recorder.array(arrays.get(i));
      }
      recorder.threads(1).preflight().launch().commit();
    }
  }

  private double launchGraph() {
    LaunchRecorder touch = recorder(16);
    KernelGraph graph =
        stream
            .runtime()
            .graph(
                "touches",
                body -> {
                  for (int i = 0; i < 64; i++) {
                    launch(touch, 16);
                  }
                });
    return Batches.nanosEach(
        () -> {
          for (int i = 0; i < Batches.OPERATIONS; i++) {
            graph.launch(stream);
          }
        },
        stream::synchronize);
  }

  private double launchWithTable() {
    LaunchRecorder touchAll =
        module.recorder(
            KernelSignature.entry("touchAll")
                .readWrites("table", int[][].class)
                .threads("n", int.class, 256));
    return Batches.nanosEach(
        () -> {
          for (int launch = 0; launch < Batches.OPERATIONS; launch++) {
            try (LaunchRecorder recorder = touchAll.begin()) {
              recorder.table(arrays).threads(1).preflight().launch().commit();
            }
          }
        },
        stream::synchronize);
  }

  private double allocate() {
    return Batches.nanosEach(
        () -> {
          for (int i = 0; i < Batches.OPERATIONS; i++) {
            stream.runtime().memory().allocate(stream, byte[].class, 1 << 20).close();
          }
        },
        stream::synchronize);
  }
}
