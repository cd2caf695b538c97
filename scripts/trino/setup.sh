#!/usr/bin/env bash
# Installs a small Trino from Maven Central (129 MB): the server, its memory and tpch connectors. Needs Maven, and Java 24 or later.
# usage: setup.sh FOLDER [MAVEN_REPOSITORY]
set -euo pipefail
folder=$1
repository=${2:-$HOME/.m2/repository}
version=483
[ -f "$folder/ready-$version" ] && exit 0

# Trino 483 needs Java 24.
find_java() {
  local home
  for home in "${TRINO_JAVA_HOME:-}" "${JAVA_HOME:-}" /usr/lib/jvm/*; do
    [ -x "$home/bin/javac" ] || continue
    local major
    major=$("$home/bin/java" -version 2>&1 | sed -nE '1s/.*"([0-9]+).*/\1/p')
    [ "${major:-0}" -ge 24 ] && echo "$home" && return
  done
  return 1
}
if ! JAVA_HOME=$(find_java); then
  echo 'no JDK 24 or later is in /usr/lib/jvm, JAVA_HOME or TRINO_JAVA_HOME' >&2
  exit 3
fi
export JAVA_HOME
command -v mvn >/dev/null || { echo 'Maven (mvn) is not installed' >&2; exit 3; }

mkdir -p "$folder/plugin" "$folder/src"
# Copies an artifact and what it needs: artifact, folder.
jars() {
  cat >"$folder/src/$1.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>autotest</groupId><artifactId>$1</artifactId><version>1</version><packaging>pom</packaging>
<dependencies><dependency><groupId>io.trino</groupId><artifactId>$1</artifactId><version>$version</version></dependency></dependencies></project>
POM
  mvn -B -q -f "$folder/src/$1.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$2" \
    -Dmaven.repo.local="$repository"
}
jars trino-main "$folder/lib"
for plugin in memory:MemoryPlugin tpch:TpchPlugin; do
  name=${plugin%%:*}
  jars "trino-$name" "$folder/plugin/$name"
  # The jars of plugins lack the file by which the server finds them.
  mkdir -p "$folder/src/$name/META-INF/services"
  echo "io.trino.plugin.$name.${plugin#*:}" >"$folder/src/$name/META-INF/services/io.trino.spi.Plugin"
  "$JAVA_HOME/bin/jar" --create --file "$folder/plugin/$name/$name-services.jar" -C "$folder/src/$name" META-INF
done
cat >"$folder/src/SmallTrino.java" <<JAVA
public class SmallTrino extends io.trino.server.Server {
  public static void main(String[] arguments) { new SmallTrino().start("$version"); }
}
JAVA
"$JAVA_HOME/bin/javac" -cp "$folder/lib/*" -d "$folder/out" "$folder/src/SmallTrino.java"
echo "$JAVA_HOME/bin/java" >"$folder/java"
touch "$folder/ready-$version"
