def pom = new File(basedir, 'pom.xml')
def resources = pom.text.find(/<version.resources>(.*)<\/version.resources>/) { it[1] }

// Each block of the page that follows the name of a file is that file.
def page = new File(basedir, '../../../../examples/FIRST_KERNEL.md').text
def files = page =~ /(?ms)^`(\S+)`\n\n```\w+\n(.*?)^```$/
def count = 0
files.each { match ->
  def file = new File(basedir, match[1])
  file.parentFile.mkdirs()
  file.text = match[2]
  count++
}
assert count == 5

pom.text = pom.text.replace('<plugins>', """<plugins>
      <plugin>
        <artifactId>maven-resources-plugin</artifactId>
        <version>$resources</version>
      </plugin>""")
true
