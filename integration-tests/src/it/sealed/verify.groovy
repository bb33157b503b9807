import java.util.jar.JarFile

def jars = []
new File(localRepositoryPath, 'dev/streamfence').eachFileRecurse {
  if (it.name.endsWith('.jar')) jars << it
}
['annotations', 'ptx', 'runtime', 'simulator', 'exchange', 'arrow', 'processor'].each { module ->
  assert jars.any { it.name.startsWith('streamfence-' + module + '-') && !it.name.endsWith('-tests.jar') }
}
jars.each { file ->
  new JarFile(file).withCloseable { jar ->
    assert jar.getEntry('META-INF/LICENSE') != null : file
    assert jar.getEntry('META-INF/NOTICE') != null : file
    // Tests share packages with what they test, and those of the examples run beside their jar.
    boolean unsealed = file.name.endsWith('-tests.jar') || file.name.startsWith('streamfence-examples-')
    assert (jar.manifest.mainAttributes.getValue('Sealed') == 'true') != unsealed : file
  }
}
return true
