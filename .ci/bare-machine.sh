#!/usr/bin/env bash
# Runs a command of sh on a machine that has only Node, npm, git, sh and coreutils, whatever else is installed here. Where root may, that is a
# root folder of its own, with those programs and what they load; else a PATH that names nothing else. Says which of the two.
#
#   bare-machine.sh FOLDER-TO-MAKE FOLDER-OF-NODE USER HOME PROJECT COMMAND
#
# PROJECT and HOME have the same paths there, and registry, proxy and certificates are as they are here.
set -euo pipefail

if [ "$1" = --in-mounts ]; then
  shift
  root=$1 user=$2 project=$4 command=$5
  for place in /proc /dev "$3" "$4"; do
    mkdir -p "$root$place"
    mount --rbind "$place" "$root$place"
  done
  exec chroot --userspec="$user:$(id -g "$user")" "$root" /usr/bin/sh -c 'cd "$1" && eval "$2"' sh "$project" "$command"
fi

bare=$1 node=$2 user=$3 home=$4 project=$5 command=$6
programs='sh git [ arch b2sum base32 base64 basename basenc cat chgrp chmod chown chroot cksum comm cp csplit cut date dd df dir dircolors dirname
  du echo env expand expr factor false fmt fold groups head hostid id install join link ln logname ls md5sum mkdir mkfifo mknod mktemp mv nice nl
  nohup nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd readlink realpath rm rmdir runcon seq sha1sum sha224sum sha256sum sha384sum
  sha512sum shred shuf sleep sort split stat stdbuf stty sum sync tac tail tee test timeout touch tr true truncate tsort tty uname unexpand uniq
  unlink users vdir wc who whoami yes'
npm=$(readlink -f "$(PATH="$node:$PATH" type -P npm)")
npm=${npm%/bin/*}

# By which programs find the registry and its certificates, and how this is run.
variables=(HOME="$home" USER="$user" LOGNAME="$user" LANG=C.UTF-8 npm_config_cache="$home/.npm")
while IFS= read -r name; do
  case $name in
    npm_config_cache | npm_config_userconfig | npm_config_prefix | NPM_CONFIG_CACHE | NPM_CONFIG_USERCONFIG | NPM_CONFIG_PREFIX) ;;
    CI | AUTOTEST_* | npm_config_* | NPM_CONFIG_* | *_proxy | *_PROXY | *CERT* | *_CA_* | *CAINFO*) variables+=("$name=${!name}") ;;
  esac
done < <(compgen -e)

copy() { # file or folder, to the same path, with what it is a link to
  [ -e "$1" ] && [ ! -e "$bare$1" ] || return 0
  mkdir -p "$bare$(dirname "$1")"
  cp -RL --no-preserve=ownership "$1" "$bare$1"
}

assemble() {
  local folder program each git_programs c_library
  mkdir -p "$bare"/{tmp,usr/bin,usr/lib/node_modules}
  chmod 1777 "$bare/tmp"
  for folder in bin lib lib64; do
    mkdir -p "$bare/usr/$folder"
    ln -s "usr/$folder" "$bare/$folder"
  done
  for program in $programs; do
    if each=$(type -P "$program"); then cp -L "$each" "$bare/usr/bin/"; fi
  done
  cp -L "$node/node" "$bare/usr/bin/"
  cp -R "$npm" "$bare/usr/lib/node_modules/npm"
  for program in npm npx; do ln -s "../lib/node_modules/npm/bin/$program-cli.js" "$bare/usr/bin/$program"; done
  git_programs=$(git --exec-path)
  mkdir -p "$bare$(dirname "$git_programs")"
  cp -a "$git_programs" "$bare$git_programs"
  while IFS= read -r each; do copy "$each"; done \
    < <(ldd "$bare"/usr/bin/* "$git_programs"/* 2>/dev/null | grep -oE '/[^ ()]+\.so[^ ()]*' | sort -u)
  # The whole of the C library: what npm brings loads other parts of it.
  c_library=$(dirname "$(ldd "$node/node" | grep -oE '/[^ ]+/libc\.so\.[0-9]')")
  for each in "$c_library"/lib{anl,dl,m,nss_dns,nss_files,pthread,resolv,rt,util}.so.[0-9]; do copy "$each"; done
  for each in /etc/{group,hosts,localtime,nsswitch.conf,passwd,resolv.conf,ssl/certs} /usr/share/git-core/templates \
    "$(npm config get globalconfig)" "$(npm config get cafile)" "${variables[@]#*=}"; do
    case $each in /etc/* | /usr/*) copy "$each" ;; esac
  done
}

if [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null; then
  [ -d "$bare" ] || assemble
  echo "bare machine: a root folder with node, npm, git, sh and coreutils alone"
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "${variables[@]}" \
    unshare --mount --propagation private bash "$0" --in-mounts "$bare" "$user" "$home" "$project" "$command"
fi

mkdir -p "$bare"
chmod 755 "$bare"
for program in $programs; do
  if each=$(type -P "$program"); then ln -sf "$each" "$bare/$program"; fi
done
ln -sf "$node/node" "$bare/node"
for program in npm npx; do ln -sf "$npm/bin/$program-cli.js" "$bare/$program"; done
echo "bare machine: a PATH with node, npm, git, sh and coreutils alone"
become=()
[ "$(id -u)" -ne 0 ] || [ "$user" = root ] || become=("$(type -P setpriv)" --reuid "$user" --regid "$(id -g "$user")" --init-groups)
cd "$project"
exec "${become[@]}" "$(type -P env)" -i PATH="$bare" "${variables[@]}" "$(type -P sh)" -c "$command"
