package dev.streamfence.internal.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceGroup;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.trace.Trace;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One trace of several devices. */
final class TracedDevicesTest {
  @TempDir private Path folder;

  private static Stream<JsonObject> events(String json) {
    return StreamSupport.stream(
            JsonParser.parseString(json)
                .getAsJsonObject()
                .getAsJsonArray("traceEvents")
                .spliterator(),
            false)
        .map(JsonElement::getAsJsonObject);
  }

  /** Two devices with one trace: a copy between them, and a launch on an array of the other one. */
  private static List<String> twoDevices(Trace shared) {
    try (DeviceGroup group =
        DeviceGroup.simulated(
            SimulatedDevice.builder().build(2),
            RuntimeOptions.defaults().withTrace(shared).withDeviceTimes(true))) {
      DeviceStream here = group.get(0).streams().acquire();
      DeviceStream there = group.get(1).streams().acquire();
      DeviceArray<int[]> x = group.get(0).memory().upload(here, new int[4], "x");
      x.copyTo(there).close();
      VectorKernels.forPeersOn(there).increment(x, 4);
      x.download(here);
      group.synchronize();
      assertThat(group.get(0).kernelTimes()).isEmpty();
      assertThat(group.get(1).kernelTimes()).hasSize(1);
      return List.of(group.get(0).toString(), group.get(1).toString());
    }
  }

  @Test
  void workOnMemoryOfAnotherDeviceIsOnBothAndNamesTheOther() {
    Trace shared = Trace.inMemory(100);
    List<String> names = twoDevices(shared);
    List<TracedWork> works = shared.works();
    assertThat(works)
        .filteredOn(work -> work.device().equals(names.get(0)))
        .extracting(TracedWork::kind, TracedWork::name)
        .contains(
            tuple(WorkKind.OTHER, "copy on device 1"),
            tuple(WorkKind.OTHER, "increment on device 1"));
    TracedWork copy = find(works, "copy");
    assertThat(copy.device()).isEqualTo(names.get(1));
    assertThat(copy.detail())
        .matches("from device 0 to device 1; uses memory of device 0 as .* #\\d+");
    TracedWork launch = find(works, "increment");
    assertThat(launch.device()).isEqualTo(names.get(1));
    TracedWork part = find(works, "increment on device 1");
    assertThat(part.detail())
        .isEqualTo("this stream waits for it, since it uses memory of this device");
    assertThat(launch.detail())
        .endsWith("; uses memory of device 0 as " + part.streamName() + " #" + part.ticket());
    assertThat(part.uses()).extracting(each -> each.tag()).containsExactly("x");
    assertThat(part.execution()).isNull();
    assertThat(find(works, "download").dependencies())
        .extracting(each -> each.because(find(works, "download")))
        .contains("x: written by increment on device 1, read by download");
    assertThat(shared.explain())
        .contains("by thread " + Thread.currentThread().getName() + ", on " + names.get(0))
        .contains(", on " + names.get(1));
  }

  private static TracedWork find(List<TracedWork> works, String name) {
    return works.stream().filter(work -> work.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void theFilesOfTwoDevicesTellThemApart() throws IOException {
    Trace shared = Trace.inMemory(100);
    List<String> names = twoDevices(shared);
    Path html = folder.resolve("two.html");
    Path json = folder.resolve("two.json");
    shared.writeHtml(html);
    shared.writeChromeJson(json);
    JsonObject data = TimelinePageTest.data(Files.readString(html));
    assertThat(
            StreamSupport.stream(data.getAsJsonArray("devices").spliterator(), false)
                .map(JsonElement::getAsString))
        .containsExactlyElementsOf(names);
    assertThat(
            StreamSupport.stream(data.getAsJsonArray("lanes").spliterator(), false)
                .map(lane -> lane.getAsJsonArray().get(0).getAsInt()))
        .isSorted()
        .contains(0, 1);
    assertThat(
            events(Files.readString(json))
                .filter(event -> event.get("name").getAsString().equals("process_name"))
                .map(event -> event.getAsJsonObject("args").get("name").getAsString()))
        .containsExactlyElementsOf(names);
  }
}
