def log = new File(basedir, 'build.log').text
// At the Kotlin source, not at the Java that kapt makes of it.
assert log =~ /src\/main\/kotlin\/demo\/SelectKernels\.kt:14: warning: \[UnseenModule\] kernels\/select\.ptx is not visible/
assert !log.contains('[UnseenModule] kernels/vector.ptx')

def launcher = new File(basedir, 'target/generated-sources/kapt/compile/demo/SelectKernelsLauncher.java').text
assert launcher.contains('List<? extends DeviceArray<float[]>> columns')
assert launcher.contains('@Nullable DeviceArray<byte[]> mask')

// The page has the versions of this build.
def page = new File(basedir, '../../../../processor/LANGUAGES.md').text
def version = new File(basedir, 'pom.xml').text.find(/<kotlin.version>(.*)<\/kotlin.version>/) { it[1] }
assert page.contains("Kotlin $version") && page.contains("<version>$version</version>")
