// The page has the version of this build.
def page = new File(basedir, '../../../../processor/LANGUAGES.md').text
def pom = new File(basedir, 'pom.xml').text
def version = pom.find(/<artifactId>spring-boot-dependencies<\/artifactId>\s*<version>(.*)<\/version>/) { it[1] }
assert page.contains("Spring Boot $version ")
