package dev.streamfence.internal.driver.jcuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException;
import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.simulation.DriverCall;
import java.io.File;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The exceptions for the driver's error codes, call by call, with both settings of JCuda's switch.
 */
class DriverErrorsOverStandInTest {
  private static final Set<String> CALLS_NO_DRIVER =
      Set.of(
          "canFillStrided",
          // It is fillAsync of twice as many values.
          "fill64Async",
          "calls",
          "sticky",
          "properties",
          "launchObserver",
          "nanoTime",
          "hostRanges",
          "rawHandle",
          "foreignEvent",
          "inThreadOfOthers",
          "everyStreamAwaited",
          "isPeer",
          "close");

  private static final int INVALID_VALUE = 1;
  private static final int OUT_OF_MEMORY = 2;
  private static final int NOT_READY = 600;
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int UNKNOWN = 999;

  private StandIn standIn;

  @BeforeEach
  void load() {
    standIn = StandIn.loaded();
  }

  @AfterEach
  void reset() {
    if (standIn != null) {
      standIn.reset();
    }
  }

  @Test
  void everyMethodOfTheSeamIsTested() {
    Set<String> methods = new TreeSet<>();
    for (DriverCall call : DriverCall.values()) {
      try (CudaDriver driver = JCudaDevices.open(0)) {
        new SeamCalls(
                InterceptedDriver.of(
                    driver,
                    (method, made) -> {
                      methods.add(method);
                      return made.proceed();
                    }))
            .make(call);
      }
    }
    assertThat(methods)
        .containsAll(
            Stream.of(CudaDriver.class.getMethods())
                .map(Method::getName)
                .filter(name -> !CALLS_NO_DRIVER.contains(name))
                .toList());
  }

  @ParameterizedTest
  @EnumSource
  void everyCodeBecomesAnErrorThatNamesItsCall(DriverCall call) {
    for (int code : new int[] {INVALID_VALUE, OUT_OF_MEMORY, ILLEGAL_ADDRESS, UNKNOWN}) {
      assertFailure(call, call.function(), code);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyCodeBecomesTheSameErrorWhenAnotherLibraryTurnedExceptionsOn(DriverCall call) {
    standIn.turnExceptionsOn();

    for (int code : new int[] {INVALID_VALUE, OUT_OF_MEMORY, ILLEGAL_ADDRESS, UNKNOWN}) {
      assertFailure(call, call.function(), code);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aContextThatCannotBeSetKeepsTheCallFromTheDriver(DriverCall call) {
    assertFailure(call, "cuCtxSetCurrent", ILLEGAL_ADDRESS);
  }

  private void assertFailure(DriverCall call, String failing, int code) {
    try (CudaDriver driver = JCudaDevices.open(0)) {
      SeamCalls fixture = new SeamCalls(driver);
      List<Long> before = standIn.live();
      standIn.fail(failing, code);

      Throwable thrown = catchThrowable(() -> fixture.make(call));

      standIn.fail("", 0);
      Throwable error = thrown instanceof KernelLoadException ? thrown.getCause() : thrown;
      assertThat(error).isInstanceOf(CudaDriverException.class);
      CudaDriverException cuda = (CudaDriverException) error;
      assertThat(List.of(cuda.call(), cuda.code(), cuda.codeName()))
          .isEqualTo(List.of(failing, code, nameOf(code)));
      assertThat(standIn.live()).as("what is alive after %s", thrown).isEqualTo(before);
    }
  }

  private static String nameOf(int code) {
    return switch (code) {
      case INVALID_VALUE -> "CUDA_ERROR_INVALID_VALUE";
      case OUT_OF_MEMORY -> "CUDA_ERROR_OUT_OF_MEMORY";
      case ILLEGAL_ADDRESS -> "CUDA_ERROR_ILLEGAL_ADDRESS";
      default -> "CUDA_ERROR_UNKNOWN";
    };
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void notReadyIsAnAnswerAndNoError(boolean exceptions) {
    if (exceptions) {
      standIn.turnExceptionsOn();
    }
    try (CudaDriver driver = JCudaDevices.open(0)) {
      SeamCalls fixture = new SeamCalls(driver);
      assertThat(driver.isStreamIdle(fixture.stream)).isTrue();
      assertThat(driver.isEventComplete(fixture.event)).isTrue();

      standIn.fail("cuStreamQuery", NOT_READY);
      assertThat(driver.isStreamIdle(fixture.stream)).isFalse();
      standIn.fail("cuEventQuery", NOT_READY);
      assertThat(driver.isEventComplete(fixture.event)).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCodeThatJCudaDoesNotKnowKeepsItsNumber(boolean exceptions) {
    if (exceptions) {
      standIn.turnExceptionsOn();
    }
    try (CudaDriver driver = JCudaDevices.open(0)) {
      standIn.fail("cuCtxSynchronize", 914);

      CudaDriverException error =
          catchThrowableOfType(CudaDriverException.class, driver::synchronizeDevice);

      assertThat(error.code()).isEqualTo(914);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 209, 218, 222})
  void aRefusedImageComesWithTheDriversOwnLog(int code) {
    try (CudaDriver driver = JCudaDevices.open(0)) {
      long before = standIn.live(StandIn.Kind.HOST_MEMORY);
      standIn.fail("cuModuleLoadDataEx", code);

      KernelLoadException error =
          catchThrowableOfType(
              KernelLoadException.class, () -> driver.loadModule("a.ptx", SeamCalls.ptx()));

      assertThat(error.module()).isEqualTo("a.ptx");
      assertThat(error.log())
          .isEqualTo(
              "error log of %1$d bytes, %2$.40s\ninfo log of %1$d bytes, %2$.40s",
              SeamCalls.PTX.length(), SeamCalls.PTX);
      assertThat(standIn.live(StandIn.Kind.HOST_MEMORY)).isEqualTo(before);
    }
  }

  @Test
  void anUnrelatedErrorDuringLoadingNamesTheModule() {
    try (CudaDriver driver = JCudaDevices.open(0)) {
      standIn.fail("cuModuleLoadDataEx", ILLEGAL_ADDRESS);

      CudaDriverException error =
          catchThrowableOfType(
              CudaDriverException.class, () -> driver.loadModule("a.ptx", SeamCalls.ptx()));

      assertThat(error.isSticky()).isTrue();
      assertThat(error.purpose()).isEqualTo("loading module a.ptx");
    }
  }

  @Test
  void aMissingEntryPointNamesTheModule() {
    try (CudaDriver driver = JCudaDevices.open(0)) {
      SeamCalls fixture = new SeamCalls(driver);

      KernelLoadException error =
          catchThrowableOfType(
              KernelLoadException.class, () -> driver.function(fixture.module, "saxpy"));

      assertThat(error.module()).isEqualTo("module.ptx");
      assertThat(error).hasMessageContaining("saxpy");
    }
  }

  @Test
  void anotherErrorOfALookUpNamesTheModule() {
    try (CudaDriver driver = JCudaDevices.open(0)) {
      SeamCalls fixture = new SeamCalls(driver);
      standIn.fail("cuModuleGetFunction", INVALID_VALUE);

      assertThat(
              catchThrowableOfType(
                      CudaDriverException.class, () -> driver.function(fixture.module, "saxpy"))
                  .purpose())
          .isEqualTo("looking up entry point saxpy of module module.ptx");
    }
  }

  @Test
  void aLoadThatEndsWithAnErrorOfJavaKeepsNoPageLockedMemory() {
    try (CudaDriver driver = JCudaDevices.open(0)) {
      long before = standIn.live(StandIn.Kind.HOST_MEMORY);
      Error full = new OutOfMemoryError("the Java heap is full");
      driver
          .sticky()
          .askForOutstanding(
              () -> {
                throw full;
              });
      standIn.fail("cuModuleLoadDataEx", ILLEGAL_ADDRESS);

      assertThatThrownBy(() -> driver.loadModule("a.ptx", SeamCalls.ptx())).isSameAs(full);
      assertThat(standIn.live(StandIn.Kind.HOST_MEMORY)).isEqualTo(before);
    }
  }

  @Test
  void aModuleWhoseImageCannotBeFreedIsUnloaded() {
    try (CudaDriver driver = JCudaDevices.open(0)) {
      long before = standIn.live(StandIn.Kind.MODULE);
      standIn.fail("cuMemFreeHost", INVALID_VALUE);

      CudaDriverException error =
          catchThrowableOfType(
              CudaDriverException.class, () -> driver.loadModule("a.ptx", SeamCalls.ptx()));

      assertThat(error.call()).isEqualTo("cuMemFreeHost");
      assertThat(standIn.live(StandIn.Kind.MODULE)).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cuInit",
        "cuDeviceGetCount",
        "cuDeviceGet",
        "cuDriverGetVersion",
        "cuDeviceGetAttribute",
        "cuDeviceGetName",
        "cuDeviceTotalMem",
        "cuDevicePrimaryCtxRetain"
      })
  void openingMayFailAtEveryCallAndRetainsNothing(String call) {
    long before = standIn.live(StandIn.Kind.CONTEXT);
    standIn.fail(call, UNKNOWN);

    CudaDriverException error =
        catchThrowableOfType(CudaDriverException.class, () -> JCudaDevices.open(0));

    assertThat(error.call()).isEqualTo(call);
    assertThat(error.purpose()).isEqualTo("looking for CUDA devices");
    assertThat(standIn.live(StandIn.Kind.CONTEXT)).isEqualTo(before);
  }

  @Test
  void anOrdinalOutOfRangeIsRefusedWithTheValidOnes() {
    for (int ordinal : new int[] {-1, 2}) {
      assertThatThrownBy(() -> JCudaDevices.open(ordinal))
          .isInstanceOf(DeviceException.class)
          .hasMessage("no CUDA device %d: libcuda.so.1 has 2 devices, numbered 0 to 1", ordinal);
    }
  }

  @Test
  void aDriverWithoutDevicesIsCountedAndRefused() {
    standIn.fail("cuInit", 100);
    assertThat(JCudaDevices.count()).isZero();
    standIn.fail("", 0);
    standIn.devices(0);
    assertThat(JCudaDevices.count()).isZero();

    assertThatThrownBy(() -> JCudaDevices.open(0))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("no CUDA device")
        .hasMessageContaining("CUDA_VISIBLE_DEVICES");
  }

  @Test
  void aSecondClassLoaderIsToldThatTheLibraryIsTaken() throws Exception {
    assertThat(JCudaDevices.count()).isEqualTo(2);
    URL[] classPath =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(DriverErrorsOverStandInTest::url)
            .toArray(URL[]::new);
    try (URLClassLoader second =
        new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
      Method count = second.loadClass(JCudaDevices.class.getName()).getMethod("count");

      assertThatThrownBy(() -> count.invoke(null))
          .cause()
          .hasMessageStartingWith("JCuda's native library is in use by another class loader");
    }
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(entry, e);
    }
  }

  @Test
  void closingReportsAFailureOnce() {
    CudaDriver driver = JCudaDevices.open(0);
    standIn.fail("cuDevicePrimaryCtxRelease", ILLEGAL_ADDRESS);

    assertThatThrownBy(driver::close).isInstanceOf(CudaDriverException.class);
    driver.close();
  }
}
