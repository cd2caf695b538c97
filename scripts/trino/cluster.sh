#!/usr/bin/env bash
# Starts a Trino of one coordinator and two workers on this machine, with the catalogues memory, other (memory, too) and tpch; or
# stops it. What setup.sh has installed may belong to somebody else.
# usage: cluster.sh start|stop INSTALLED RUN_FOLDER PORT    coordinator on PORT, workers on PORT + 1 and PORT + 2
set -euo pipefail
action=$1
installed=$2
run=$3
port=$4

start_node() { # name, port, whether it is the coordinator
  local folder=$run/$1
  mkdir -p "$folder/etc/catalog"
  cat >"$folder/etc/config.properties" <<CONFIG
coordinator=$3
http-server.http.port=$2
node.internal-address=127.0.0.1
discovery.uri=http://127.0.0.1:$port
query.max-memory=256MB
query.max-memory-per-node=128MB
memory.heap-headroom-per-node=128MB
plugin.dir=$installed/plugin
catalog.config-dir=$folder/etc/catalog
CONFIG
  if [ "$3" = true ]; then echo 'node-scheduler.include-coordinator=false' >>"$folder/etc/config.properties"; fi
  printf 'connector.name=memory\nmemory.max-data-per-node=64MB\n' | tee "$folder/etc/catalog/memory.properties" \
    >"$folder/etc/catalog/other.properties"
  printf 'connector.name=tpch\ntpch.splits-per-node=1\n' >"$folder/etc/catalog/tpch.properties"
  (
    cd "$folder"
    exec nohup "$(cat "$installed/java")" -Xmx768M -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
      -Djdk.attach.allowAttachSelf=true -XX:+EnableDynamicAgentLoading --add-modules jdk.incubator.vector \
      --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED -Dnode.environment=autotest \
      "-Dnode.id=$1" "-Dnode.data-dir=$folder/data" "-Dconfig=$folder/etc/config.properties" \
      -cp "$installed/out:$installed/lib/*" SmallTrino >"$folder/log" 2>&1 </dev/null
  ) &
  echo $! >"$folder/pid"
}

is_up() { curl -fs "http://127.0.0.1:$1/v1/info" 2>/dev/null | grep -q '"starting":false'; }

case $action in
  start)
    rm -rf "$run"
    mkdir -p "$run"
    start_node coordinator "$port" true
    start_node worker1 $((port + 1)) false
    start_node worker2 $((port + 2)) false
    for _ in $(seq 600); do
      for name in coordinator worker1 worker2; do
        kill -0 "$(cat "$run/$name/pid")" 2>/dev/null || { tail -n 20 "$run/$name/log" >&2; exit 1; }
      done
      if is_up "$port" && is_up $((port + 1)) && is_up $((port + 2)); then exit 0; fi
      sleep 0.2
    done
    tail -n 20 "$run/coordinator/log" >&2
    exit 1
    ;;
  stop)
    for name in worker2 worker1 coordinator; do kill -KILL "$(cat "$run/$name/pid")" 2>/dev/null || true; done
    ;;
esac
