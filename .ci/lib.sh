# What .ci/run and .ci/full share. To be sourced by bash.
#
# Tests run as an ordinary user: root may read and write everything, and finds no fault of permissions. Where root runs
# this, a user is made for it; all else of root's environment (registry, proxy, certificates) is passed on.
set -uo pipefail

# Every version that is supported; the first is the oldest. New features and figures are for the main one.
node_versions=(20.20.2 22.23.3 24.21.0 26.10.0)
main_version=24.21.0
user_name=autotest-ci

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/autotest-ci-XXXXXX")
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
# `timeout` leads a group of its own, which Ctrl-C does not reach.
running=
# A step that is interrupted writes to its log.
exec 3>&1
trap 'echo "interrupted: $passed passed, $failed failed until then" >&3; [ -z "$running" ] || kill "$running"; exit 130' INT TERM
passed=0
failed=0
home=$HOME
# Where no prebuilt binary can be fetched, Node 20's SQLite is compiled.
compiles=true

skip() { # what and why
  echo "SKIPPED  $*"
}

pass() { # what
  passed=$((passed + 1))
  echo "ok       $*"
}

fail() { # what, file of the log
  failed=$((failed + 1))
  echo "FAILED   $1"
  [ -z "${2:-}" ] || tail -n "${3:-60}" "$2" | sed 's/^/  | /'
}

need() { # program, Debian package
  command -v "$1" >/dev/null 2>&1 && return
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing $2"
    (timeout 300 apt-get install -y -q "$2" || (timeout 300 apt-get update -q && timeout 300 apt-get install -y -q "$2")) \
      >"$work/apt.log" 2>&1 && return
    tail -n 5 "$work/apt.log"
  fi
  skip "what needs $1: $2 is not here and cannot be installed"
  return 1
}

# The user who runs everything, with a home of its own below $work.
make_user() {
  [ "$(id -u)" -eq 0 ] || return 0
  if ! command -v setpriv >/dev/null || ! { id "$user_name" || useradd --no-create-home --shell /bin/bash "$user_name"; } \
    >/dev/null 2>&1; then
    skip "everything as an ordinary user: none can be made; root runs it"
    return 0
  fi
  home=$work/home
  mkdir -p "$home"
  local settings
  settings=$(npm config get userconfig 2>/dev/null)
  if [ -f "$settings" ]; then install -m 600 "$settings" "$home/.npmrc"; fi
  chown -R "$user_name:" "$home"
}

is_other_user() { [ "$home" != "$HOME" ]; }

# Runs a command as the user, bounded in time.
as_user() { # seconds, folder of a Node's binaries, working folder, command…
  local seconds=$1 node=$2 folder=$3
  shift 3
  local environment=(PATH="$node:$PATH")
  local become=()
  if is_other_user; then
    become=(setpriv --reuid "$user_name" --regid "$user_name" --init-groups)
    environment=(
      -u XDG_CONFIG_HOME -u XDG_CACHE_HOME -u XDG_DATA_HOME -u npm_config_userconfig -u NPM_CONFIG_USERCONFIG
      -u npm_config_cache -u NPM_CONFIG_CACHE -u TMPDIR
      HOME="$home" USER="$user_name" LOGNAME="$user_name" npm_config_cache="$home/.npm" "${environment[@]}"
    )
  fi
  (cd "$folder" && exec timeout --kill-after=30 "$seconds" "${become[@]}" env "${environment[@]}" "$@") </dev/null &
  running=$!
  wait "$running"
  local code=$?
  running=
  case $code in
    124) echo "cut off after $seconds s" ;;
    137 | 143) echo "killed (exit $code)" ;;
  esac
  return $code
}

# A fresh clone that belongs to the user, with the shared lists of inputs beside it where there are any.
fresh_clone() { # folder
  mkdir -p "$(dirname "$1")"
  # Whoever owns what is cloned.
  printf '[safe]\n\tdirectory = *\n' >"$work/gitconfig"
  GIT_CONFIG_GLOBAL=$work/gitconfig git clone --quiet --no-hardlinks "$here" "$1" || return 1
  if [ -d "$here/../shared" ]; then ln -sfn "$(cd "$here/../shared" && pwd)" "$(dirname "$1")/shared"; fi
  if is_other_user; then chown -R "$user_name:" "$(dirname "$1")"; fi
}

# Sets `node` to the folder of a version's binaries, and installs it first. AUTOTEST_NODES may name a folder that has
# <version>/node_modules/node/bin of some already.
find_node() { # version
  local folder
  for folder in "${AUTOTEST_NODES:-$work/nodes}/$1" "$work/nodes/$1"; do
    node=$folder/node_modules/node/bin
    [ -x "$node/node" ] && return
  done
  folder=$work/nodes/$1
  mkdir -p "$folder"
  (cd "$folder" && timeout 600 npm install --no-save --no-package-lock --no-audit --no-fund "node@$1") \
    >"$work/node.log" 2>&1
  chmod -R a+rX "$work/nodes"
  [ -x "$node/node" ] && return
  # This machine's own will do.
  node=$(dirname "$(command -v node)")
  [ "$("$node/node" --version)" = "v$1" ] && return
  tail -n 5 "$work/node.log"
  return 1
}

# Counts what a command says that ends with `N passed, N failed`.
count_said() { # name, exit code, log
  local said
  said=$(sed 's/\x1b\[[0-9;]*m//g' "$3" | grep -oE '^[0-9]+ passed, [0-9]+ failed' | tail -n 1)
  local good=${said%% passed*} bad=${said##*, }
  passed=$((passed + ${good:-0}))
  failed=$((failed + $(grep -oE '[0-9]+' <<<"${bad:-0}" || echo 0)))
  if [ "$2" -eq 0 ]; then echo "ok       $1: ${said}"; else
    echo "FAILED   $1: ${said}"
    tail -n 60 "$3" | sed 's/^/  | /'
    case $said in *', 0 failed' | '') failed=$((failed + 1)) ;; esac
  fi
}

# Counts the tests of a run of the suite.
count_tests() { # name, exit code, log
  local line good bad
  line=$(sed 's/\x1b\[[0-9;]*m//g' "$3" | grep -E '^ *Tests ' | tail -n 1)
  good=$(grep -oE '[0-9]+ passed' <<<"$line" | grep -oE '[0-9]+')
  bad=$(grep -oE '[0-9]+ failed' <<<"$line" | grep -oE '[0-9]+')
  passed=$((passed + ${good:-0}))
  failed=$((failed + ${bad:-0}))
  sed 's/\x1b\[[0-9;]*m//g' "$3" | grep -E '^ *SKIPPED ' | sort -u
  if [ "$2" -eq 0 ]; then
    echo "ok       $1: ${line#*Tests  }"
    return
  fi
  echo "FAILED   $1: ${line#*Tests  }"
  tail -n 150 "$3" | sed 's/^/  | /'
  # It was cut off, or failed outside of any test.
  [ "${bad:-0}" -gt 0 ] || failed=$((failed + 1))
}

# Whether a version's packages can be installed; says so where they cannot.
is_installable() { # version
  case $1 in 20.*) ;; *) return 0 ;; esac
  [ "$compiles" = false ] || return 0
  skip "Node $1: its SQLite may have to be compiled, and there is no compiler"
  return 1
}

# Test files of which the last run of the suite left something out, as this machine did not have what they need.
left_out_list=node_modules/.cache/autotest-tests/left-out.txt

# The README's two commands on a machine that has only what they ask for.
bare_machine() { # version, folder
  local version=$1 folder=$2 log="$work/bare.log" user=$user_name name command code
  if [[ $version == 20.* ]]; then
    skip "the README's commands on a bare machine: Node $version may need a compiler for SQLite"
    return
  fi
  is_other_user || user=$(id -un)
  for command in 'npm ci && npm start' 'npm ci && npm test'; do
    timeout --kill-after=30 2400 bash "$here/.ci/bare-machine.sh" "$work/bare" "$node" \
      "$user" "$home" "$folder" "$command" </dev/null >"$log" 2>&1 &
    running=$!
    wait "$running"
    code=$?
    running=
    name="Node $version, $(sed -n 's/^\(bare machine\): /\1 (/p' "$log" | head -n 1)): $command"
    if [[ $command == *test ]]; then
      # What is left out there is tested, or said, later.
      sed -i 's/^SKIPPED  /there: /' "$log"
      count_tests "$name" "$code" "$log"
      grep '^there: ' "$log" | sed 's/^/         /'
    elif [ "$code" -eq 0 ]; then pass "$name"; else fail "$name" "$log"; fi
  done
}

# The README's second command; after a bare machine ran it in that folder, what it left out there.
suite() { # version, folder
  if [ ! -f "$2/$left_out_list" ]; then
    as_user 2400 "$node" "$2" bash -c 'npm ci && npm test' >"$work/suite.log" 2>&1
    count_tests "Node $1: npm ci && npm test" $? "$work/suite.log"
    return
  fi
  local files
  mapfile -t files <"$2/$left_out_list"
  [ ${#files[@]} -gt 0 ] || return 0
  as_user 2400 "$node" "$2" npx vitest run "${files[@]}" >"$work/suite.log" 2>&1
  count_tests "Node $1: the ${#files[@]} test files of which the bare machine left something out" $? "$work/suite.log"
}

# The README's first command.
demo_of_clone() { # version, folder
  local log="$work/demo-of-clone.log"
  if as_user 1200 "$node" "$2" bash -c 'npm ci && npm start' >"$log" 2>&1; then pass "Node $1: npm ci && npm start"; else
    fail "Node $1: npm ci && npm start" "$log"
  fi
}

# What is expected on standard error: a pattern of whole lines.
says() { # version, folder, expected exit code, expected lines, arguments…
  local version=$1 folder=$2 expected=$3 lines=$4
  shift 4
  as_user 300 "$node" "$folder" node dist/cli/main.js "$@" >"$work/out.log" 2>"$work/err.log"
  local code=$?
  grep -vxE "$lines" "$work/err.log" >"$work/unexpected.log"
  if [ $code -eq "$expected" ] && [ ! -s "$work/unexpected.log" ]; then pass "Node $version: autotest $*"; else
    tail -n 20 "$work/out.log" >>"$work/unexpected.log"
    fail "Node $version: autotest $* (exit $code, wanted $expected)" "$work/unexpected.log"
  fi
}

# The built command line starts, says nothing that it should not, and ends as it should.
smoke() { # version, folder with dist/ and node_modules
  says "$1" "$2" 0 'note  (building|Python|no former text|first failing case:) .*' demo
  says "$1" "$2" 0 'note  building .*'
  says "$1" "$2" 0 '' --help
  says "$1" "$2" 2 'error  unknown flag --nonsense|       see autotest --help' --nonsense
}

checks() { # folder
  local name command log=$work/check.log
  while IFS='|' read -r name command; do
    if as_user 600 "$node" "$1" bash -c "$command" >"$log" 2>&1; then pass "$name"; else fail "$name" "$log" 120; fi
  done <<'END'
format and lint|npx biome check .
types|npx tsc --noEmit
types of the editor's extension|npx tsc --noEmit -p packages/vscode
types of the report's page|npx tsc --noEmit -p packages/report-page
import direction|npx depcruise src --config .dependency-cruiser.cjs
dead code|npx knip
the list of what is bundled (SBOM)|npm run --silent sbom
END
}

# Kills at random points, failing disks and power cuts: no byte of the user is lost.
crashes() { # folder, kills of each command, calls of each act
  as_user 1500 "$node" "$1" node bench/power-cuts.js --most "$3" >"$work/crashes.log" 2>&1
  local code=$?
  grep '^SKIPPED' "$work/crashes.log"
  if [ $code -eq 0 ]; then pass "failing disks and power cuts: $(tail -n 1 "$work/crashes.log")"; else fail "failing disks and power cuts" "$work/crashes.log"; fi
  as_user 3000 "$node" "$1" node bench/kills.js --points "$2" >"$work/crashes.log" 2>&1
  code=$?
  grep '^SKIPPED' "$work/crashes.log"
  if [ $code -eq 0 ]; then pass "kills: $(tail -n 1 "$work/crashes.log")"; else fail "kills" "$work/crashes.log"; fi
}

packed_install() { # folder, flags…
  local folder=$1
  shift
  if [ ! -f "$folder/scripts/packed-install.js" ]; then
    skip "the packed install: scripts/packed-install.js is not here"
    return
  fi
  as_user 1800 "$node" "$folder" node scripts/packed-install.js "$@" >"$work/packed.log" 2>&1
  count_said "packed install${*:+ $*}" $? "$work/packed.log"
}

# A real language model on loopback, in one or both forms of its server, and the tests that ask it.
real_model() { # version, folder, forms…
  local version=$1 folder=$2
  shift 2
  local python urls='' port log="$work/model.log"
  python=$(command -v python3) || true
  if [ -z "$python" ] || ! timeout 600 sh "$here/scripts/model/setup.sh" "$work/model" >"$log" 2>&1; then
    skip "a real model: Python, or the packages of scripts/model/setup.sh, are not to be had: $(tail -n 1 "$log" 2>/dev/null)"
    return
  fi
  local servers=()
  for jinja in "$@"; do
    port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    "$work/model/venv/bin/python" "$work/model/serve.py" --threads 2 --jinja "$jinja" --port "$port" >"$work/model-$jinja.log" 2>&1 &
    servers+=($!)
    urls="$urls http://127.0.0.1:$port/v1"
  done
  local url
  for url in $urls; do
    for _ in $(seq 60); do
      curl -sf "${url%/v1}/health" >/dev/null 2>&1 && break
      sleep 1
    done
  done
  as_user 1500 "$node" "$folder" env AUTOTEST_MODEL_URLS="$urls" npx vitest run tests/e2e/llm/real-model.test.ts >"$log" 2>&1
  count_tests "Node $version: a real model" $? "$log"
  kill "${servers[@]}" 2>/dev/null
}

# A cluster of Trino and the tests that ask it; what Maven brings is kept between runs.
trino_cluster() { # version, folder
  local installed=${AUTOTEST_TRINO:-${TMPDIR:-/tmp}/autotest-trino-$(id -u)} log="$work/trino.log"
  # Before anything is fetched for it.
  if [ -z "${TRINO_JAVA_HOME:-}" ] && ! ls -d /usr/lib/jvm/*2[4-9]* >/dev/null 2>&1; then
    skip "Trino: no JDK 24 or later is in /usr/lib/jvm or TRINO_JAVA_HOME"
    return
  fi
  need mvn maven || return
  if ! timeout 300 bash "$here/scripts/trino/setup.sh" "$installed" "$installed/maven" >"$log" 2>&1; then
    skip "Trino: $(tail -n 1 "$log" 2>/dev/null)"
    return
  fi
  chmod -R a+rX "$installed"
  as_user 600 "$node" "$2" env AUTOTEST_TRINO="$installed" npx vitest run --no-file-parallelism tests/engine/server/trino >"$log" 2>&1
  count_tests "Node $1: Trino, one coordinator and two workers" $? "$log"
}

# Installs the editor in the background, as the user: it takes some two minutes, most of them waiting.
prepare_editor() { # version, folder
  if ! need chromium chromium || ! need rg ripgrep || ! need fc-list fontconfig; then return; fi
  /usr/bin/python3 -c 'import debugpy' 2>/dev/null || need "debugpy for /usr/bin/python3" python3-debugpy
  mkdir -p "$work/editor"
  if is_other_user; then chown -R "$user_name:" "$work/editor"; fi
  as_user 900 "$node" "$work/editor" env NODE_VERSION="$1" bash "$2/packages/vscode/tests/editor/setup.sh" "$work/editor" \
    >"$work/editor-setup.log" 2>&1 &
  editor_setup=$!
}

# The extension in a real editor in a real browser, as the user.
editor_tests() { # version, folder, flags…
  local version=$1 folder=$2 log="$work/editor.log"
  shift 2
  [ -d "$work/editor" ] || return
  wait "$editor_setup"
  as_user 600 "$node" "$folder" env AUTOTEST_EDITOR_DIR="$work/editor" NODE_VERSION="$version" npm run --silent test:editor -- "$@" >"$log" 2>&1
  local code=$?
  grep '^SKIPPED' "$log"
  count_said "Node $version: the extension in an editor" $code "$log"
}

# Unit tests for each version of Python that is found here, pytest installed beside it; its folders may be this user's alone.
other_pythons() { # version, folder
  local found='' python name
  for python in /usr/bin/python3.* /usr/local/bin/python3.* "$HOME"/.pyenv/versions/*/bin/python "$HOME"/.local/share/uv/python/*/bin/python; do
    [ -x "$python" ] || continue
    name=$("$python" -c 'import sys; assert (3, 9) <= sys.version_info; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    [ ! -e "$work/pythons/$name" ] || continue
    if timeout 120 "$python" -m venv "$work/pythons/$name" && timeout 300 "$work/pythons/$name/bin/pip" -q install pytest; then
      found="$found:$work/pythons/$name/bin/python"
    else
      skip "Python $name: no environment with pytest can be made"
    fi
  done >"$work/pythons.log" 2>&1
  grep '^SKIPPED' "$work/pythons.log"
  if [ -z "$found" ]; then
    skip "other versions of Python: none is found"
    return
  fi
  (cd "$2" && AUTOTEST_PYTHONS=${found#:} PATH="$node:$PATH" timeout --kill-after=30 900 npx vitest run tests/testgen/python/every-python.test.ts) \
    </dev/null >"$work/pythons.log" 2>&1
  count_tests "Node $1: Python $(cd "$work/pythons" && echo *)" $? "$work/pythons.log"
}

# What root may do and others may not, run as root; the clone is root's from then on.
as_root() { # version, folder
  if [ "$(id -u)" -ne 0 ]; then
    skip "Node $1: the tests for root: this is not root"
    return
  fi
  chown -R 0:0 "$2"
  local tests=(
    tests/edit tests/snapshot/load.test.ts tests/benchmark/load.test.ts tests/store/database.test.ts tests/engine/open-engine.test.ts
    tests/agent/command-agent.test.ts tests/app/project/write-obstacles.test.ts tests/git tests/e2e/bad-project.test.ts tests/e2e/git.test.ts
  )
  (cd "$2" && PATH="$node:$PATH" timeout --kill-after=30 900 npx vitest run "${tests[@]}") </dev/null >"$work/root.log" 2>&1
  count_tests "Node $1: tests whose subject differs for root, as root" $? "$work/root.log"
}

begin() {
  need git git || { echo "0 passed, 1 failed"; exit 1; }
  make_user
  [ -z "$(git -C "$here" status --porcelain 2>/dev/null)" ] || echo "note     what is not committed is not tested"
}

# What some tests and checks need beside Node, npm, git, sh and coreutils.
install_the_rest() {
  for program in g++ make python3; do need "$program" "$program" || compiles=false; done
  need bwrap bubblewrap
  ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || need "a PostgreSQL server" postgresql
  [ -x /usr/sbin/pgbouncer ] || need pgbouncer pgbouncer
  need mariadbd mariadb-server
  # Tests make an environment of their own; the demo takes what is there.
  /usr/bin/python3 -c 'import ensurepip' 2>/dev/null || need "ensurepip for /usr/bin/python3" python3-venv
  /usr/bin/python3 -c 'import pytest' 2>/dev/null || need "pytest for /usr/bin/python3" python3-pytest
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
