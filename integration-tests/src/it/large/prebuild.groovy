// 200 interfaces of ten kernels each, ten interfaces to a package, over one PTX file.
def kernels = 0..<10
200.times { number ->
  def home = String.format('demo.p%02d', number.intdiv(10))
  def methods = kernels.collect { """
  @Kernel
  void step$it(
      float factor,
      @Reads DeviceArray<float[]> source,
      @ReadWrites DeviceArray<float[]> target,
      @ThreadCount int n);
""" }
  def file = new File(basedir, "src/main/java/${home.replace('.', '/')}/Kernels${number}.java")
  file.parentFile.mkdirs()
  file.text = """package $home;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;

@KernelModule("kernels/steps.ptx")
public interface Kernels$number {
${methods.join('')}}
"""
}

def entries = kernels.collect { '''
// target[i] += factor * source[i], for the first n elements
.visible .entry NAME(
	.param .f32 NAME_factor,
	.param .u64 NAME_source,
	.param .u64 NAME_target,
	.param .u32 NAME_n
)
{
	.reg .pred 	%p<2>;
	.reg .f32 	%f<5>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<8>;

	ld.param.f32 	%f1, [NAME_factor];
	ld.param.u64 	%rd1, [NAME_source];
	ld.param.u64 	%rd2, [NAME_target];
	ld.param.u32 	%r1, [NAME_n];
	mov.u32 	%r2, %ctaid.x;
	mov.u32 	%r3, %ntid.x;
	mov.u32 	%r4, %tid.x;
	mad.lo.s32 	%r5, %r2, %r3, %r4;
	setp.ge.s32 	%p1, %r5, %r1;
	@%p1 bra 	$done;
	cvta.to.global.u64 	%rd3, %rd1;
	cvta.to.global.u64 	%rd4, %rd2;
	mul.wide.s32 	%rd5, %r5, 4;
	add.s64 	%rd6, %rd3, %rd5;
	add.s64 	%rd7, %rd4, %rd5;
	ld.global.f32 	%f2, [%rd6];
	ld.global.f32 	%f3, [%rd7];
	fma.rn.f32 	%f4, %f1, %f2, %f3;
	st.global.f32 	[%rd7], %f4;

$done:
	ret;
}
'''.replace('NAME', "step$it") }
def ptx = new File(basedir, 'src/main/resources/kernels/steps.ptx')
ptx.parentFile.mkdirs()
ptx.text = '.version 6.3\n.target sm_75\n.address_size 64\n' + entries.join('')
return true
