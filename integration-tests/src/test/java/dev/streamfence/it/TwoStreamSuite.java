package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A device for each test, with two streams and the launchers of {@link SuiteKernels} on both. */
abstract class TwoStreamSuite {
  DeviceRuntime gpu;
  DeviceStream a;
  DeviceStream b;
  SuiteKernels onA;
  SuiteKernels onB;

  abstract DeviceRuntime open();

  /** How much work the tests may ask for: 1 for an interpreter, more for a GPU. */
  abstract int scale();

  @BeforeEach
  void openDevice() {
    gpu = open();
    a = gpu.streams().acquire();
    b = gpu.streams().acquire();
    onA = SuiteKernelsLauncher.on(a);
    onB = SuiteKernelsLauncher.on(b);
  }

  @AfterEach
  void closeDevice() {
    if (gpu != null) {
      gpu.close();
    }
  }
}
