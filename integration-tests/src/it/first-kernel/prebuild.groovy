def pom = new File(basedir, 'pom.xml')
def resources = pom.text.find(/<version.resources>(.*)<\/version.resources>/) { it[1] }
def examples = new File(basedir, '../../../../examples')

// Each block of a page that follows the name of a file is that file.
def filesOf = { page ->
  def files = [:]
  (new File(examples, page).text =~ /(?ms)^`(\S+)`\n\n```\w+\n(.*?)^```$/).each { files[it[1]] = it[2] }
  files
}

// The folder to copy is what the first page shows, and the PTX.
def starter = new File(examples, 'starter')
def there = []
starter.eachFileRecurse { file ->
  def name = starter.toPath().relativize(file.toPath()).toString()
  if (file.isFile() && !name.startsWith('target')) there << name
}
def first = filesOf('FIRST_KERNEL.md')
assert first.keySet() + 'src/main/resources/kernels/vector.ptx' == there as Set
first.each { name, text -> assert new File(starter, name).text == text }

there.each { name ->
  def file = new File(basedir, name)
  file.parentFile.mkdirs()
  file.bytes = new File(starter, name).bytes
}

def second = filesOf('FILTER_OPERATOR.md')
assert second.size() == 4
second.each { name, text ->
  def file = new File(basedir, name)
  file.parentFile.mkdirs()
  file.text = text
}
def ptx = 'src/main/resources/kernels/filter.ptx'
new File(basedir, ptx).bytes = new File(examples, ptx).bytes

pom.text = pom.text.replace('<plugins>', """<plugins>
      <plugin>
        <artifactId>maven-resources-plugin</artifactId>
        <version>$resources</version>
      </plugin>""")
true
