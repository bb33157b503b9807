package dev.streamfence.it.compare;

import static jcuda.driver.CUevent_flags.CU_EVENT_DISABLE_TIMING;
import static jcuda.driver.CUstream_flags.CU_STREAM_NON_BLOCKING;

import dev.streamfence.DeviceRuntime;
import java.io.IOException;
import java.util.List;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** The launches in JCuda's usual idiom: pointers to pointers, made for each launch. */
final class PlainJCudaRows implements RowGroup {
  private static final int EVENTS = 64;

  private final String kernels;
  private final CUdeviceptr[] arrays = new CUdeviceptr[4];
  private final CUstream[] streams = {new CUstream(), new CUstream()};
  private final CUevent[] events = new CUevent[EVENTS];
  private final CUfunction function = new CUfunction();

  private PlainJCudaRows(String kernels) {
    this.kernels = kernels;
  }

  /**
   * Serves the rows.
   *
   * @param arguments the file of the kernels
   */
  public static void main(String[] arguments) throws IOException {
    Server.serve(
        new PlainJCudaRows(arguments[0]),
        DeviceRuntime.isGpuAvailable() ? "" : "there is no GPU here");
  }

  @Override
  public List<String> rows() {
    return List.of("launch-one-stream", "launch-two-streams", "launch-ping-pong");
  }

  @Override
  public void open() {
    JCudaDriver.setExceptionsEnabled(true);
    JCudaDriver.cuInit(0);
    CUdevice device = new CUdevice();
    JCudaDriver.cuDeviceGet(device, 0);
    CUcontext context = new CUcontext();
    JCudaDriver.cuDevicePrimaryCtxRetain(context, device);
    JCudaDriver.cuCtxSetCurrent(context);
    CUmodule module = new CUmodule();
    JCudaDriver.cuModuleLoad(module, kernels);
    JCudaDriver.cuModuleGetFunction(function, module, "touch4");
    for (int i = 0; i < arrays.length; i++) {
      arrays[i] = new CUdeviceptr();
      JCudaDriver.cuMemAlloc(arrays[i], (long) Launches.N * Float.BYTES);
    }
    for (CUstream stream : streams) {
      JCudaDriver.cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
    }
    for (int i = 0; i < EVENTS; i++) {
      events[i] = new CUevent();
      JCudaDriver.cuEventCreate(events[i], CU_EVENT_DISABLE_TIMING);
    }
  }

  @Override
  public double measure(String row) {
    Runnable batch =
        switch (row) {
          case "launch-one-stream" -> this::oneStream;
          case "launch-two-streams" -> this::withEvents;
          case "launch-ping-pong" -> this::pingPong;
          default -> throw new IllegalArgumentException(row);
        };
    return Batches.nanosEach(batch, JCudaDriver::cuCtxSynchronize);
  }

  private void launch(CUstream stream) {
    Pointer parameters =
        Pointer.to(
            Pointer.to(arrays[0]),
            Pointer.to(arrays[1]),
            Pointer.to(arrays[2]),
            Pointer.to(arrays[3]),
            Pointer.to(new float[] {2f}),
            Pointer.to(new int[] {Launches.N}));
    JCudaDriver.cuLaunchKernel(function, 1, 1, 1, Launches.N, 1, 1, 0, stream, parameters, null);
  }

  private void oneStream() {
    for (int i = 0; i < Batches.OPERATIONS; i++) {
      launch(streams[0]);
    }
  }

  private void withEvents() {
    for (int i = 0; i < Batches.OPERATIONS; i++) {
      launch(streams[0]);
      JCudaDriver.cuEventRecord(events[i % EVENTS], streams[0]);
    }
  }

  private void pingPong() {
    for (int i = 0; i < Batches.OPERATIONS; i++) {
      CUstream stream = streams[i % 2];
      JCudaDriver.cuStreamWaitEvent(stream, events[(i + EVENTS - 1) % EVENTS], 0);
      launch(stream);
      JCudaDriver.cuEventRecord(events[i % EVENTS], stream);
    }
  }
}
