package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.processor.UserBuild.Tool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** CUDA sources that clang compiles without a toolkit, where it is installed. */
final class ClangTest {
  private static final String INTERFACE =
      """
      package app;
      import dev.streamfence.*;
      import dev.streamfence.annotation.*;
      @KernelModule("k/sums.cu")
      interface Kernels {
        @Kernel(requiredBlock = 128)
        void sums(@Reads DeviceArray<float[]> x, %s DeviceArray<float[]> out, @ThreadCount int n);
      }
      """;

  private static final String SOURCE =
      """
      extern "C" __global__ void sums(const float* x, float* out, int n) {
        __shared__ float tile[4];
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float sum = i < n ? x[i] : 0;
        for (int step = 16; step > 0; step /= 2) {
          sum += __shfl_down_sync(0xffffffff, sum, step);
        }
        if (threadIdx.x % 32 == 0) {
          tile[threadIdx.x / 32] = sum;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
          out[blockIdx.x] = tile[0] + tile[1] + tile[2] + tile[3];
        }
      }
      """;

  private static final Pattern FUNCTION =
      Pattern.compile(
          "STREAMFENCE_(?:FUNCTION [^(#;]*?(\\w+)\\(|(?:SHUFFLE|ATOMIC|EXTREME)\\((\\w+),)");

  /** Every function that the header provides, apart from those of vectors. */
  private static final String ALL =
      """
      extern "C" __global__ void all(
          int* i, unsigned* u, long long* l, unsigned long long* w, float* f, double* d, int4* v) {
        __syncthreads(); __syncwarp(); __threadfence(); __threadfence_block(); __threadfence_system();
        i[0] = __syncthreads_and(i[1]) + __syncthreads_or(i[2]) + __syncthreads_count(i[3]);
        if (i[4] == 7) { printf("%d", i[5]); __trap(); }
        l[0] = clock64();
        i[6] = __float_as_int(f[0]); u[0] = __float_as_uint(f[1]); f[2] = __int_as_float(i[7]);
        f[3] = __uint_as_float(u[1]); d[0] = __longlong_as_double(l[1]);
        l[2] = __double_as_longlong(d[1]) + streamfence_bits<long long>(d[2]);
        f[4] = __shfl_sync(~0u, f[5], 3); d[3] = __shfl_up_sync(~0u, d[4], 1u, 16);
        i[8] = __shfl_down_sync(~0u, i[9], 2u); l[3] = __shfl_xor_sync(__activemask(), l[4], 8);
        u[2] = __ballot_sync(~0u, i[10]); i[11] = __any_sync(~0u, i[12]) + __all_sync(~0u, i[13]);
        atomicAdd(i, 1); atomicAdd(u, 1u); atomicAdd(w, 1ull); atomicAdd(f, 1.f); atomicAdd(d, 1.);
        atomicMin(i, 1); atomicMin(u, 1u); atomicMin(l, 1ll); atomicMin(w, 1ull);
        atomicMax(i, 1); atomicMax(u, 1u); atomicMax(l, 1ll); atomicMax(w, 1ull);
        atomicAnd(i, 1); atomicOr(u, 1u); atomicXor(w, 1ull); atomicExch(i, 1); atomicExch(f, 1.f);
        atomicInc(u, 9u); atomicDec(u, 9u); atomicSub(i, 1); atomicSub(u, 1u);
        atomicCAS(i, 1, 2); atomicCAS(u, 1u, 2u); atomicCAS(w, 1ull, 2ull);
        i[14] = __ldg(i + 15) + __popc(u[3]) + __popcll(w[1]) + __clz(i[16]) + __clzll(l[5]);
        i[17] = __ffs(i[18]) + __ffsll(l[6]) + __brev(u[4]) + __mulhi(i[19], i[20]);
        u[5] = __umulhi(u[6], u[7]); i[21] = abs(i[22]) + isnan(f[6]) + isinf(d[5]); l[7] = llabs(l[8]);
        f[7] = sqrtf(f[8]) + rsqrtf(f[9]) + fabsf(f[10]) + floorf(f[11]) + ceilf(f[12]) + truncf(f[13]);
        d[6] = sqrt(d[7]) + fabs(d[8]) + floor(d[9]) + ceil(d[10]) + trunc(d[11]) + fma(d[1], d[2], d[3]);
        f[14] = fminf(f[15], f[16]) + fmaxf(f[17], INFINITY) + fmaf(f[18], f[19], NAN);
        d[12] = fmin(d[13], d[14]) + fmax(d[15], d[16]);
        f[20] = __expf(f[21]) + __log2f(f[22]) + __logf(f[23]) + __sinf(f[24]) + __cosf(f[25]);
        f[26] = __fdividef(f[27], f[28]) + min(f[29], f[30]) + max(f[31], f[32]);
        f[35] = abs(f[36]) + abs(d[17]) + abs(l[9]) + min(f[37], d[18]) + max(d[19], f[38]);
        u[9] = min(i[23], u[10]) + max(w[2], u[11]) + min(0, sizeof(int4)) + fabs(-1.0);
        uint3 thread = threadIdx; dim3 grid = gridDim; dim3 block = {4}; dim3 at(blockIdx);
        u[12] = thread.x + grid.y + block.z + at.x + uint3(blockDim).y;
        static_assert(dim3(4).z == 1, "");
        v[0] = make_int4(v[1].x, v[2].y, make_float2(f[33], f[34]).y, make_uchar3(1, 2, u[8]).z);
        static_assert(sizeof(double4) == 32 && alignof(double4) == 16 && sizeof(char4) == 4, "");
        static_assert(sizeof(size_t) == 8 && sizeof(uint16_t) == 2, "");
      }
      """;

  @TempDir private Path folder;

  @BeforeEach
  void lookForClang() throws IOException {
    boolean isInstalled = false;
    for (String path : System.getenv().getOrDefault("PATH", "").split(":")) {
      isInstalled |= Files.isExecutable(Path.of(path, "clang"));
    }
    assumeTrue(isInstalled, "clang is not installed");
  }

  private UserBuild build(String source, String access) throws IOException {
    Path resources = Files.createDirectories(folder.resolve("resources/k"));
    Files.writeString(resources.resolve("sums.cu"), source);
    return UserBuild.by(Tool.JAVAC, folder.resolve("build"))
        .with("app/Kernels.java", INTERFACE.formatted(access))
        .options("-Astreamfence.clang=clang", "-Astreamfence.resources=" + resources.getParent())
        .run();
  }

  @Test
  void aSourceIsCompiledWithoutAToolkitAndProvedFreeOfRaces() throws IOException {
    UserBuild build = build(SOURCE, "@Writes");

    assertThat(build.everything()).isEmpty();
    assertThat(build.generated("app/KernelsLauncher.java")).contains("no two threads");
  }

  @Test
  void aMistakeInTheInterfaceIsFoundInTheSource() throws IOException {
    assertThat(build(SOURCE, "@Reads").errors())
        .singleElement()
        .asString()
        .contains("sums", "'out'", "sums.cu:13");
  }

  @Test
  void aMistakeInTheSourceIsThatOfTheCompiler() throws IOException {
    assertThat(build(SOURCE.replace("sum += ", "total += "), "@Writes").errors())
        .singleElement()
        .asString()
        .contains("sums.cu:6", "'total'");
  }

  @Test
  void everyFunctionOfTheHeaderCompiles() throws IOException {
    UserBuild build = build(SOURCE + ALL, "@Writes");

    assertThat(build.everything()).isEmpty();
    for (String function : functions()) {
      assertThat(ALL).containsPattern("\\b" + function + "[(<]");
    }
  }

  private static Set<String> functions() throws IOException {
    try (InputStream in = ClangTest.class.getResourceAsStream("compile/streamfence_cuda.h")) {
      String header = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      Set<String> found = new TreeSet<>();
      Matcher functions = FUNCTION.matcher(header);
      while (functions.find()) {
        found.add(functions.group(1) == null ? functions.group(2) : functions.group(1));
      }
      // The parameter of the macros.
      found.remove("name");
      assertThat(found).hasSizeGreaterThan(70);
      return found;
    }
  }
}
