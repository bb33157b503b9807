package demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.streamfence.DeviceHealth;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.StreamMisuseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ActiveProfiles;

@SpringBootTest
@ActiveProfiles("simulated")
class VectorsTest {
  @Autowired Vectors vectors;
  @Autowired DeviceRuntime gpu;

  @Test
  void addsTheProduct() {
    assertArrayEquals(new float[] {12, 24, 36}, saxpy());
  }

  @Test
  void eachThreadOfAServerTakesAStream() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(16);
    List<Callable<float[]>> requests = Collections.nCopies(64, this::saxpy);
    try {
      for (Future<float[]> result : threads.invokeAll(requests)) {
        assertArrayEquals(new float[] {12, 24, 36}, result.get());
      }
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void oneMoreThanTheStreamsIsRefused() {
    List<DeviceStream> lent = new ArrayList<>();
    try {
      for (int i = 0; i < 16; i++) {
        lent.add(gpu.streams().acquire());
      }
      StreamMisuseException refusal = assertThrows(StreamMisuseException.class, this::saxpy);
      assertEquals(StreamMisuseException.Misuse.NO_STREAM_LEFT, refusal.kind());
    } finally {
      lent.forEach(DeviceStream::close);
    }
  }

  @Test
  void theContextClosesTheRuntime() {
    DeviceRuntime closed;
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(Application.class).profiles("simulated").run()) {
      closed = context.getBean(DeviceRuntime.class);
      assertEquals(DeviceHealth.State.HEALTHY, closed.health().state());
    }
    assertEquals(DeviceHealth.State.CLOSED, closed.health().state());
  }

  private float[] saxpy() {
    return vectors.saxpy(2, new float[] {1, 2, 3}, new float[] {10, 20, 30});
  }
}
