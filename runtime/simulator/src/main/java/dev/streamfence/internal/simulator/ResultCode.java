package dev.streamfence.internal.simulator;

/**
 * Names of the {@code CUresult} values of {@code cuda.h} that a simulated device returns or is told
 * to return.
 */
final class ResultCode {
  static final int INVALID_VALUE = 1;
  static final int OUT_OF_MEMORY = 2;
  static final int DEINITIALIZED = 4;
  static final int NO_BINARY_FOR_GPU = 209;
  static final int UNSUPPORTED_PTX_VERSION = 222;
  static final int INVALID_HANDLE = 400;
  static final int NOT_READY = 600;
  static final int ILLEGAL_ADDRESS = 700;
  static final int LAUNCH_TIMEOUT = 702;
  static final int ASSERT = 710;
  static final int MISALIGNED_ADDRESS = 716;
  static final int LAUNCH_FAILED = 719;
  static final int COOPERATIVE_LAUNCH_TOO_LARGE = 720;
  static final int NOT_SUPPORTED = 801;
  static final int STREAM_CAPTURE_UNSUPPORTED = 900;

  private ResultCode() {}

  static String name(int code) {
    return switch (code) {
      case 1 -> "CUDA_ERROR_INVALID_VALUE";
      case 2 -> "CUDA_ERROR_OUT_OF_MEMORY";
      case 3 -> "CUDA_ERROR_NOT_INITIALIZED";
      case 4 -> "CUDA_ERROR_DEINITIALIZED";
      case 100 -> "CUDA_ERROR_NO_DEVICE";
      case 101 -> "CUDA_ERROR_INVALID_DEVICE";
      case 200 -> "CUDA_ERROR_INVALID_IMAGE";
      case 201 -> "CUDA_ERROR_INVALID_CONTEXT";
      case 209 -> "CUDA_ERROR_NO_BINARY_FOR_GPU";
      case 214 -> "CUDA_ERROR_ECC_UNCORRECTABLE";
      case 218 -> "CUDA_ERROR_INVALID_PTX";
      case 222 -> "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
      case 226 -> "CUDA_ERROR_CONTAINED";
      case 400 -> "CUDA_ERROR_INVALID_HANDLE";
      case 500 -> "CUDA_ERROR_NOT_FOUND";
      case 600 -> "CUDA_ERROR_NOT_READY";
      case 700 -> "CUDA_ERROR_ILLEGAL_ADDRESS";
      case 701 -> "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
      case 702 -> "CUDA_ERROR_LAUNCH_TIMEOUT";
      case 709 -> "CUDA_ERROR_CONTEXT_IS_DESTROYED";
      case 710 -> "CUDA_ERROR_ASSERT";
      case 714 -> "CUDA_ERROR_HARDWARE_STACK_ERROR";
      case 715 -> "CUDA_ERROR_ILLEGAL_INSTRUCTION";
      case 716 -> "CUDA_ERROR_MISALIGNED_ADDRESS";
      case 717 -> "CUDA_ERROR_INVALID_ADDRESS_SPACE";
      case 718 -> "CUDA_ERROR_INVALID_PC";
      case 719 -> "CUDA_ERROR_LAUNCH_FAILED";
      case 720 -> "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE";
      case 801 -> "CUDA_ERROR_NOT_SUPPORTED";
      case 900 -> "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
      case 999 -> "CUDA_ERROR_UNKNOWN";
      default -> "CUresult " + code;
    };
  }
}
