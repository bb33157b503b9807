package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/**
 * One driver with one handle of each kind, and every method of the seam that makes a driver call.
 * Confined to one thread.
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
  final long memory;
  final long directMemory;
  final HostMemory host;
  final ModuleHandle module;
  final FunctionHandle function;

  SeamCalls(CudaDriver driver) {
    this.driver = driver;
    stream = driver.createStream(0);
    event = driver.createEvent();
    memory = driver.allocateAsync(64, stream);
    directMemory = driver.allocate(64);
    host = driver.allocateHost(64);
    module = driver.loadModule("module.ptx", ptx());
    function = driver.function(module, "nothing");
  }

  static byte[] ptx() {
    return PTX.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * A method of the seam.
   *
   * @param method its name in {@link CudaDriver}
   * @param call the driver's function
   */
  record SeamCall(String method, String call, Consumer<SeamCalls> action) {
    @Override
    public String toString() {
      return method;
    }
  }

  static List<SeamCall> all() {
    return List.of(
        call("memoryInfo", "cuMemGetInfo", c -> c.driver.memoryInfo()),
        call("keepFreedMemory", "cuMemPoolSetAttribute", c -> c.driver.keepFreedMemory(64)),
        call("createStream", "cuStreamCreateWithPriority", c -> c.driver.createStream(0)),
        call("destroyStream", "cuStreamDestroy", c -> c.driver.destroyStream(c.stream)),
        call("synchronizeStream", "cuStreamSynchronize", c -> c.driver.synchronizeStream(c.stream)),
        call("isStreamIdle", "cuStreamQuery", c -> c.driver.isStreamIdle(c.stream)),
        call("waitForEvent", "cuStreamWaitEvent", c -> c.driver.waitForEvent(c.stream, c.event)),
        call("createEvent", "cuEventCreate", c -> c.driver.createEvent()),
        call("destroyEvent", "cuEventDestroy", c -> c.driver.destroyEvent(c.event)),
        call("recordEvent", "cuEventRecord", c -> c.driver.recordEvent(c.event, c.stream)),
        call("synchronizeEvent", "cuEventSynchronize", c -> c.driver.synchronizeEvent(c.event)),
        call("isEventComplete", "cuEventQuery", c -> c.driver.isEventComplete(c.event)),
        call("allocateAsync", "cuMemAllocAsync", c -> c.driver.allocateAsync(8, c.stream)),
        call("freeAsync", "cuMemFreeAsync", c -> c.driver.freeAsync(c.memory, c.stream)),
        call("allocate", "cuMemAlloc", c -> c.driver.allocate(8)),
        call("free", "cuMemFree", c -> c.driver.free(c.directMemory)),
        call("allocateHost", "cuMemAllocHost", c -> c.driver.allocateHost(8)),
        call("deviceAddress", "cuMemHostGetDevicePointer", c -> c.driver.deviceAddress(c.host)),
        call("freeHost", "cuMemFreeHost", c -> c.driver.freeHost(c.host)),
        call(
            "copyToDeviceAsync",
            "cuMemcpyHtoDAsync",
            c -> c.driver.copyToDeviceAsync(c.memory, c.host, 0, 64, c.stream)),
        call(
            "copyToHostAsync",
            "cuMemcpyDtoHAsync",
            c -> c.driver.copyToHostAsync(c.host, 0, c.memory, 64, c.stream)),
        call(
            "copyOnDeviceAsync",
            "cuMemcpyDtoDAsync",
            c -> c.driver.copyOnDeviceAsync(c.memory + 32, c.memory, 32, c.stream)),
        call(
            "fill8Async",
            "cuMemsetD8Async",
            c -> c.driver.fill8Async(c.memory, (byte) 1, 64, c.stream)),
        call(
            "fill16Async",
            "cuMemsetD16Async",
            c -> c.driver.fill16Async(c.memory, (short) 1, 32, c.stream)),
        call(
            "fill32Async",
            "cuMemsetD32Async",
            c -> c.driver.fill32Async(c.memory, 1, 16, c.stream)),
        call(
            "fill32StridedAsync",
            "cuMemsetD2D32Async",
            c -> c.driver.fill32StridedAsync(c.memory, 8, 1, 8, c.stream)),
        call("loadModule", "cuModuleLoadDataEx", c -> c.driver.loadModule("m.ptx", ptx())),
        call("unloadModule", "cuModuleUnload", c -> c.driver.unloadModule(c.module)),
        call("function", "cuModuleGetFunction", c -> c.driver.function(c.module, "nothing")),
        call("variable", "cuModuleGetGlobal", c -> c.driver.variable(c.module, "level")),
        call("attributes", "cuFuncGetAttribute", c -> c.driver.attributes(c.function)),
        call(
            "allowDynamicSharedBytes",
            "cuFuncSetAttribute",
            c -> c.driver.allowDynamicSharedBytes(c.function, 65536)),
        call("launchKernel", "cuLaunchKernel", c -> c.launch(false, c.host)),
        call("launchKernel", "cuLaunchCooperativeKernel", c -> c.launch(true, c.host)),
        call(
            "residentBlocksPerMultiprocessor",
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            c -> c.driver.residentBlocksPerMultiprocessor(c.function, 32, 0)),
        call(
            "suggestedBlockSize",
            "cuOccupancyMaxPotentialBlockSize",
            c -> c.driver.suggestedBlockSize(c.function, 0)),
        call(
            "foreignStream",
            "cuStreamGetCtx",
            c -> c.driver.foreignStream(c.driver.rawHandle(c.stream))),
        call("pointerInfo", "cuPointerGetAttributes", c -> c.driver.pointerInfo(c.memory)),
        call("makeCurrent", "cuCtxSetCurrent", c -> c.driver.makeCurrent()),
        call("synchronizeDevice", "cuCtxSynchronize", c -> c.driver.synchronizeDevice()));
  }

  void launch(boolean cooperative, HostMemory parameters) {
    driver.launchKernel(new KernelLaunch(function, cooperative, stream, parameters));
  }

  private static SeamCall call(String method, String call, Consumer<SeamCalls> action) {
    return new SeamCall(method, call, action);
  }
}
