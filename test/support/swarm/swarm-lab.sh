#!/usr/bin/env bash
# Brings up a real Docker Swarm on this machine: each engine in a network namespace of its own, and a registry that all
# of them reach. Needs root and the programs dockerd, docker, docker-registry, ip, iptables and nsenter.
#
#   swarm-lab.sh up FOLDER NODES    prints host=, registry= and gateway= (this machine as the nodes see it)
#   swarm-lab.sh start FOLDER NODE  starts the engine of a node again
#   swarm-lab.sh down FOLDER
#
# `ip netns exec` would hide the control groups from the engine, so nsenter is used. dockerd sets the FORWARD chain to
# DROP, so the bridge of the lab is let through. Folder names decide the names of bridge and namespaces.
set -eu
command=$1 lab=$2
id=$(printf %s "$lab" | cksum | cut -c1-4)
id=$((10#$id)) bridge=swlab$id net=10.$((64 + id % 64)).$((id / 64))
registry=$net.254:5000

engine() { docker -H "unix://$lab/$1/docker.sock" "${@:2}"; }

# The workers keep no logs that the manager could read, unless a run asks for it.
options() { [ "$1" = 1 ] || printf %s '--log-driver none'; }

start() {
  # Files of a killed engine. A new one would take another process with the same id for its containerd.
  rm -f "$lab/$1/pid" "$lab/$1/exec/containerd/containerd.pid"
  setsid nsenter --net="/var/run/netns/$bridge-$1" unshare --uts sh -c "hostname node$1; exec dockerd \
    --icc=false --no-new-privileges $(options "$1") --insecure-registry $net.0/24 --data-root $lab/$1/data --exec-root $lab/$1/exec \
    --pidfile $lab/$1/pid -H unix://$lab/$1/docker.sock" >>"$lab/$1/log" 2>&1 &
  for _ in $(seq 1 300); do engine "$1" version >/dev/null 2>&1 && return; sleep 0.1; done
  tail -n 3 "$lab/$1/log" >&2; exit 1
}

up() {
  local nodes=$1 i token
  mkdir -p "$lab/registry"
  ip link add name "$bridge" type bridge; ip addr add "$net.254/24" dev "$bridge"; ip link set "$bridge" up
  for side in -i -o; do iptables -I FORWARD $side "$bridge" -j ACCEPT; done
  printf 'version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: %s/registry}, delete: {enabled: true}}\nhttp: {addr: "%s"}\n' "$lab" "$registry" >"$lab/registry.yml"
  setsid docker-registry serve "$lab/registry.yml" >"$lab/registry.log" 2>&1 & echo $! >"$lab/registry.pid"
  locked_registry
  for i in $(seq 1 "$nodes"); do
    mkdir -p "$lab/$i"
    ip netns add "$bridge-$i"; ip link add "sw$id-$i" type veth peer name eth0 netns "$bridge-$i"
    ip link set "sw$id-$i" master "$bridge" up
    nsenter --net="/var/run/netns/$bridge-$i" sh -c "ip addr add $net.$i/24 dev eth0; ip link set eth0 up; ip link set lo up; ip route add default via $net.254"
    start "$i" &
  done
  for i in $(seq 1 "$nodes"); do for _ in $(seq 1 300); do engine "$i" version >/dev/null 2>&1 && break; sleep 0.1; done; done
  engine 1 swarm init --advertise-addr "$net.1" >/dev/null
  token=$(engine 1 swarm join-token -q worker)
  for i in $(seq 2 "$nodes"); do engine "$i" swarm join --token "$token" "$net.1:2377" >/dev/null; done
  for _ in $(seq 1 300); do [ "$(engine 1 node ls --format '{{.Status}}' | grep -c Ready)" = "$nodes" ] && break; sleep 0.1; done
  printf 'host=unix://%s/1/docker.sock\nregistry=%s\ngateway=%s\n' "$lab" "$registry" "$net.254"
}

# A second registry, which demands the user "lab" with the password "lab-password".
locked_registry() {
  printf 'lab:$2b$04$XtcJdHnfs4/vtQAooyI9be.VshrWRoRU04ufdIqARNvsNUPvDSOP2\n' >"$lab/users"
  sed -e "s|:5000|:5001|; s|$lab/registry|$lab/locked|" "$lab/registry.yml" >"$lab/locked.yml"
  printf 'auth: {htpasswd: {realm: lab, path: %s/users}}\n' "$lab" >>"$lab/locked.yml"
  setsid docker-registry serve "$lab/locked.yml" >"$lab/locked.log" 2>&1 & echo $! >"$lab/locked.pid"
}

down() {
  local file pid name
  for file in "$lab"/*/pid "$lab"/*.pid; do [ ! -f "$file" ] || kill "$(cat "$file")" 2>/dev/null || true; done
  for file in "$lab"/*/pid; do
    [ -f "$file" ] || continue
    pid=$(cat "$file"); for _ in $(seq 1 200); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
  done
  # A container outlives an engine that was killed.
  for pid in $(pgrep -f "containerd-shim.*$lab/" || true); do
    for name in $(cat "/proc/$pid/task/$pid/children" 2>/dev/null) "$pid"; do kill -9 "$name" 2>/dev/null || true; done
  done
  grep -o "$lab/[^ ]*" /proc/mounts | sort -r | xargs -r umount -l 2>/dev/null || true
  for name in $(ip netns list | grep -o "^$bridge-[0-9]*"); do ip netns del "$name"; done
  ip -o link | grep -o "sw$id-[0-9]*" | sort -u | while read -r name; do ip link del "$name" 2>/dev/null || true; done
  ip link del "$bridge" 2>/dev/null || true
  for side in -i -o; do iptables -D FORWARD $side "$bridge" -j ACCEPT 2>/dev/null || true; done
  rm -rf "$lab"
}

shift 2
"$command" "$@"
