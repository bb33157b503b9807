def log = new File(basedir, 'build.log').text
def errors = log.readLines().findAll { it.contains('ERROR') && it.contains('Intruder.java') }
assert errors.any { it.contains('package dev.streamfence.internal is not visible') } : errors
assert errors.any { it.contains('package dev.streamfence.internal.ptx.check is not visible') } : errors
assert log.contains('package dev.streamfence.internal is declared in module dev.streamfence.runtime, which does not export it')
assert log.contains('which does not export it to module demo')
return true
