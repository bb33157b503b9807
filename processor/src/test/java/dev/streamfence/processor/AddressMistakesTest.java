package dev.streamfence.processor;

import static dev.streamfence.processor.KernelCode.kernel;
import static dev.streamfence.processor.KernelCode.kernels;
import static dev.streamfence.processor.KernelCode.mistakesIn;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.streamfence.processor.diagnostic.Problem;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers that become addresses, and addresses whose origin the code does not show. */
class AddressMistakesTest {
  @TempDir private Path folder;

  /** Puts an address together from bits of {@code a}, in {@code %rd2}, in two lines. */
  private static final String VOTED_ADDRESS =
      "ld.param.u64 %rd1, [a]; cvt.u32.u64 %r1, %rd1; setp.ne.s32 %p1, %r1, 0;\n"
          + "vote.sync.ballot.b32 %r3, %p1, -1; cvt.u64.u32 %rd2, %r3;\n";

  @Test
  void aStoreThroughAnAddressOfUnknownOriginMayBeOneToAnyArray() {
    byte[] code =
        kernel("sm_75", ".param .u64 a, .param .u32 n", VOTED_ADDRESS + "st.global.u32 [%rd2], 5;");
    String declared = "@Kernel void run(%s DeviceArray<int[]> %sa, @ThreadCount int n);";

    mistakesIn(folder, code, kernels(declared.formatted("@Writes", ""))).areNoneAtAll();
    mistakesIn(folder, code, kernels(declared.formatted("@ReadWrites", ""))).areNoneAtAll();
    mistakesIn(folder, code, kernels(declared.formatted("@Reads", "«")))
        .areWarning(
            Problem.UNCLEAR_ACCESS,
            "parameter 'a' of run is @Reads, but the kernel may store to it: st.global.u32 in line 8"
                + " of k/k.ptx (the origin of its address is unknown); check it, and add"
                + " @Trusted(\"reason\") if it never does");
    byte[] shared =
        kernel("sm_75", ".param .u64 a, .param .u32 n", VOTED_ADDRESS + "st.shared.u32 [%rd2], 5;");
    mistakesIn(folder, shared, kernels(declared.formatted("@Reads", ""))).areNoneAtAll();
    mistakesIn(
            folder,
            shared,
            kernels("@Kernel void run(@Writes DeviceArray<int[]> «a, @ThreadCount int n);"))
        .are(Problem.NEVER_STORED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"st.global.u32 [%rd2], 5;", "ld.global.u32 %r4, [%rd2];"})
  void anAddressOfUnknownOriginMayBeANumberThatHasRoomForOne(String access) {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", VOTED_ADDRESS + access);
    String difference =
        " of run is passed by value, but the kernel may use it as an address: "
            + (access.substring(0, access.indexOf(' '))
                + " in line 8 of k/k.ptx (the origin of its address is unknown)");

    mistakesIn(folder, code, kernels("@Kernel void run(long «a, @ThreadCount int n);"))
        .areWarning(
            Problem.POSSIBLE_ADDRESS,
            "parameter 'a'" + difference + "; if it is one, take a DeviceArray");
    mistakesIn(
            folder,
            code,
            kernels("record Box(long p) {} @Kernel void run(Box «a, @ThreadCount int n);"))
        .areWarning(
            Problem.POSSIBLE_ADDRESS,
            "parameter 'a.p'" + difference + "; if it is one, make this component a DeviceArray");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mov.u64 %rd2, 4096;",
        "ld.global.u64 %rd2, [pointer];",
        "ld.const.u64 %rd2, [constants+8];",
        "{ .param .b64 s; .param .b64 r; st.param.b64 [s], 16; call.uni (r), malloc, (s);"
            + " ld.param.b64 %rd2, [r]; }",
      })
  void anAddressThatNoBitsOfNumbersMakeIsNone(String address) {
    byte[] code =
        (".version 7.0\n.target sm_75\n.address_size 64\n.global .u64 pointer; .const .u64"
                + " constants[2]; .extern .func (.param .b64 p) malloc (.param .b64 s);\n"
                + ".visible .entry run(.param .u64 a, .param .u64 b, .param .u32 n)"
                + " { .reg .b32 %r<10>; .reg .b64 %rd<10>; ld.param.u64 %rd1, [a];\n"
                + (address + " ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd2], 5;")
                + " st.global.u32 [%rd1], %r1; ret; }\n")
            .getBytes(UTF_8);

    mistakesIn(
            folder,
            code,
            kernels("@Kernel void run(@Writes DeviceArray<int[]> a, long b, @ThreadCount int n);"))
        .areNoneAtAll();
  }

  @Test
  void anArrayMayBeLoadedThroughAnAddressOfUnknownOrigin() {
    String both = "st.global.u32 [%rd1], 5; ld.global.u32 %r4, [%rd2];";
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", VOTED_ADDRESS + both);
    String declared = "@Kernel void run(%s DeviceArray<int[]> %sa, @ThreadCount int n);";

    mistakesIn(folder, code, kernels(declared.formatted("@ReadWrites", ""))).areNoneAtAll();
    mistakesIn(folder, code, kernels(declared.formatted("@Trusted(\"no\") @Writes", "")))
        .areNoneAtAll();
    mistakesIn(folder, code, kernels(declared.formatted("@Writes", "«")))
        .areWarning(
            Problem.UNCLEAR_ACCESS,
            "parameter 'a' of run is @Writes, but the kernel may load from it: ld.global.u32 in line"
                + " 8 of k/k.ptx (the origin of its address is unknown); check it, and add"
                + " @Trusted(\"reason\") if it never does");
  }

  @Test
  void onlyTheAddressOfTheGridsWorkspaceIsKnownToBeNoParameters() {
    String own =
        "ld.param.u64 %rd0, [a]; ld.global.u32 %r0, [%rd0];\n"
            + "mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1; cvt.u64.u32 %rd1, %r1;"
            + " cvt.u64.u32 %rd2, %r2; bfi.b64 %rd3, %rd2, %rd1, 32, 32;";
    String add = " atom.add.release.gpu.u32 %r3, [%rd4+4], 1;";
    String declared =
        "@Kernel(cooperative = true) void run(@Reads DeviceArray<int[]> %sa, @ThreadCount int n);";

    mistakesIn(
            folder,
            kernel("sm_75", ".param .u64 a, .param .u32 n", own + " mov.u64 %rd4, %rd3;" + add),
            kernels(declared.formatted("")))
        .areNoneAtAll();
    for (String other :
        List.of(
            "mov.u32 %r4, %tid.x; cvt.u64.u32 %rd5, %r4; add.s64 %rd4, %rd3, %rd5;",
            "mov.u32 %r4, %clock; cvt.u64.u32 %rd4, %r4;",
            "st.global.u64 [%rd3], %rd3; mov.u64 %rd4, %rd3;")) {
      mistakesIn(
              folder,
              kernel("sm_75", ".param .u64 a, .param .u32 n", own + other + add),
              kernels(declared.formatted("«")))
          .are(Problem.UNCLEAR_ACCESS);
    }
  }

  @Test
  void aRecordComponentThatBecomesAnAddressIsReportedWithItsRemedy() {
    byte[] code =
        kernel(
            "sm_75",
            ".param .align 8 .b8 box[16], .param .u32 n",
            "ld.param.u64 %rd1, [box+8]; cvta.to.global.u64 %rd2, %rd1;");

    mistakesIn(
            folder,
            code,
            kernels(
                "record Box(long n, long x) {} @Kernel void run(Box «box, @ThreadCount int n);"))
        .are(
            Problem.NUMBER_AS_ADDRESS,
            "parameter 'box.x' of run is passed by value, but the kernel uses it as an address:"
                + " cvta.to.global.u64 in line 6 of k/k.ptx; make this component a DeviceArray");
    mistakesIn(
            folder,
            code,
            kernels(
                "record Box(long n, @Reads DeviceArray<int[]> x) {}"
                    + " @Kernel void run(Box box, @ThreadCount int n);"))
        .areNoneAtAll();
  }

  @Test
  void twoHalvesOfAnAddressAreReportedWithTheirRemedy() {
    mistakesIn(
            folder,
            kernel(
                "sm_75",
                ".param .u32 low, .param .u32 high, .param .u32 n",
                "ld.param.u32 %r1, [low]; ld.param.u32 %r2, [high]; mov.b64 %rd1, {%r1, %r2};\n"
                    + "st.global.u32 [%rd1], 1;"),
            kernels("@Kernel void run(int «low, int high, @ThreadCount int n);"))
        .areWarning(
            Problem.POSSIBLE_ADDRESS,
            "parameter 'low' of run is passed by value, but the kernel may use it as an address:"
                + " st.global.u32 in line 7 of k/k.ptx (its address may come from 'low' or"
                + " 'high' since mov.b64 in line 6 of k/k.ptx); if it is one, take one DeviceArray instead of the parts of its"
                + " address; suppress this with"
                + " @SuppressWarnings(\"streamfence:PossibleAddress\")");
  }

  private static final String CHOOSING =
      "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
          + "selp.b64 %rd3, %rd1, %rd2, %p1;\nst.global.u32 [%rd3], 1;";

  @Test
  void aNumberThatMayBeAnAddressIsAWarning() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", CHOOSING);
    String chosen =
        "@Kernel void run(@Writes DeviceArray<int[]> a, %slong «b, @ThreadCount int n);";

    mistakesIn(folder, code, kernels(chosen.formatted("")))
        .areWarning(
            Problem.POSSIBLE_ADDRESS,
            "parameter 'b' of run is passed by value, but the kernel may use it as an address:"
                + " st.global.u32 in line 8 of k/k.ptx (its address may come from 'a' or 'b' since"
                + " selp.b64 in line 7 of k/k.ptx); if it is one, take a DeviceArray; suppress this with"
                + " @SuppressWarnings(\"streamfence:PossibleAddress\")");
    mistakesIn(
            folder,
            code,
            kernels(
                chosen
                    .formatted("@SuppressWarnings(\"streamfence:PossibleAddress\") ")
                    .replace("«", "")))
        .areNoneAtAll();
    mistakesIn(folder, code, kernels("@Kernel void run(long «a, long b, @ThreadCount int n);"))
        .are(Problem.POSSIBLE_ADDRESS);
  }

  @Test
  void aCauseIsReportedOnceWithTheNamesOfItsParameters() {
    byte[] code =
        kernel(
            "sm_75, debug",
            ".param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n",
            "ld.param.u64 %rd4, [c];\n"
                + CHOOSING
                    .replace("[%rd3]", "[%rd5]")
                    .replace("st.", "selp.b64 %rd5, %rd3, %rd4, %p2; st."));
    mistakesIn(
            folder,
            code,
            kernels(
                "@Kernel void run(@Reads DeviceArray<int[]> «from, @Reads DeviceArray<int[]> to,"
                    + " @ReadWrites DeviceArray<int[]> other, @ThreadCount int n);"))
        .areWarning(
            Problem.UNCLEAR_ACCESS,
            "parameter 'from' of run is @Reads, but the kernel may store to it: st.global.u32 in"
                + " line 9 of k/k.ptx (its address may come from 'from' or 'to' or 'other' since"
                + " selp.b64 in line 8 of k/k.ptx); check it, and add @Trusted(\"reason\") if it"
                + " never does; the module was compiled with -G, and is clearer without; suppress"
                + " this with @SuppressWarnings(\"streamfence:UnclearAccess\")");
  }

  @Test
  void aStoreThroughOneOfSeveralArraysThatAreOnlyReadIsAnError() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", CHOOSING);
    String arrays =
        "@Kernel void run(@%s DeviceArray<int[]> a, @%s DeviceArray<int[]> b, @ThreadCount int n);";

    mistakesIn(folder, code, kernels(arrays.formatted("Reads", "Reads").replace("> a", "> «a")))
        .are(
            Problem.STORES_THROUGH_READS,
            "parameter 'a' of run is @Reads, but the kernel stores to it or another array that is"
                + " @Reads: st.global.u32 in line 8 of k/k.ptx (its address may come from 'a' or 'b'"
                + " since selp.b64 in line 7 of k/k.ptx); declare @Writes");
    mistakesIn(folder, code, kernels(arrays.formatted("Writes", "Writes"))).areNoneAtAll();
    // What is stored to in any case is the mistake; the other array may be right.
    mistakesIn(
            folder,
            kernel(
                "sm_75",
                ".param .u64 a, .param .u64 b, .param .u32 n",
                CHOOSING + "\nst.global.u32 [%rd2], 2;"),
            kernels(arrays.formatted("Trusted(\"never\") @Reads", "Reads").replace("> b", "> «b")))
        .are(
            Problem.STORES_THROUGH_READS,
            "parameter 'b' of run is @Reads, but the kernel stores to it: st.global.u32 in line 9 of"
                + " k/k.ptx; declare @Writes");
    mistakesIn(
            folder,
            kernel(
                "sm_75",
                ".param .u64 a, .param .u64 b, .param .u32 n",
                CHOOSING.replace("st.global.u32 [%rd3], 1", "ld.global.u32 %r1, [%rd3]")),
            kernels(arrays.formatted("Reads", "Reads")))
        .areNoneAtAll();
  }

  @Test
  void addressesInAnArrayAreAWarningThatTrustSilences() {
    byte[] code =
        kernel(
            "sm_75",
            ".param .u64 rows, .param .u32 n",
            "ld.param.u64 %rd1, [rows];\nld.global.u64 %rd2, [%rd1];\n"
                + "ld.global.u32 %r1, [%rd2];\nst.global.u32 [%rd2+4], %r1;");
    String kernel = "@Kernel void run(%s@Reads DeviceArray<long[]> «rows, @ThreadCount int n);";

    mistakesIn(folder, code, kernels(kernel.formatted("")))
        .areWarning(
            Problem.ADDRESSES_IN_ARRAY,
            "parameter 'rows' of run is declared to hold values, but the kernel takes addresses"
                + " from it and loads and stores through them: st.global.u32 in line 9 of k/k.ptx,"
                + " which the runtime does not track; pass the arrays themselves in an array or"
                + " List of DeviceArrays, or add @Trusted(\"reason\") if you order their uses;"
                + " suppress this with @SuppressWarnings(\"streamfence:AddressesInArray\")");
    mistakesIn(
            folder,
            code,
            kernels(kernel.formatted("@Trusted(\"rows are never freed\") ").replace("«", "")))
        .areNoneAtAll();
    mistakesIn(
            folder,
            code,
            kernels("@Kernel void run(@ReadWrites DeviceArray<int[]>[] rows, @ThreadCount int n);"))
        .areNoneAtAll();
  }
}
