// The page has the versions of this build.
def page = new File(basedir, '../../../../processor/LANGUAGES.md').text
def pom = new File(basedir, 'pom.xml').text
def versionOf = { artifact -> pom.find(/<artifactId>$artifact<\/artifactId>\s*<version>(.*)<\/version>/) { it[1] } }
def plugin = versionOf('scala-maven-plugin')
assert page.contains("Scala ${versionOf('scala3-library_3')} and scala-maven-plugin $plugin.")
assert page.contains("<version>$plugin</version>")
