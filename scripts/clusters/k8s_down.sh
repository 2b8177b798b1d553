#!/usr/bin/env bash
# k8s_down.sh - stop what k8s_up.sh started (pid files), remove pods' leftovers. KEEP=1 keeps $LAB.
set -uo pipefail
LAB=${LAB:-${TMPDIR:-/tmp}/clusters/k8s-lab} BIN=${BIN:-${TMPDIR:-/tmp}/clusters/k8s/bin}; [ -d "$LAB" ] || exit 0
export PATH=$BIN:$PATH KUBECONFIG=$LAB/admin.kubeconfig CONTAINERD_ADDRESS=$LAB/run/containerd.sock CONTAINERD_NAMESPACE=k8s.io
alive() { local p; p=$(cat "$LAB/run/$1.pid" 2>/dev/null) && [ "$(cut -c1-15 "/proc/$p/comm" 2>/dev/null)" = "${1:0:15}" ]; }
stop() { alive "$1" || { rm -f "$LAB/run/$1.pid"; return 0; }; local p; p=$(cat "$LAB/run/$1.pid"); kill "$p"; for _ in $(seq 80); do [ -d "/proc/$p" ] || break; sleep 0.1; done; [ -d "/proc/$p" ] && kill -9 "$p"; rm -f "$LAB/run/$1.pid"; }
if alive kubelet && alive kube-apiserver; then timeout 30 kubectl delete jobs,pods --all -A --grace-period=1 --timeout=20s >/dev/null 2>&1; fi
stop kubelet
if alive containerd; then
  for t in $(ctr tasks ls -q 2>/dev/null); do ctr tasks kill -s KILL "$t" 2>/dev/null; ctr tasks rm -f "$t" >/dev/null 2>&1; done
  for c in $(ctr containers ls -q 2>/dev/null); do ctr containers rm "$c" >/dev/null 2>&1; done
fi
for d in k8s_dns.sh dnsmasq kube-scheduler kube-controller-manager containerd kube-apiserver etcd; do stop $d; done
for s in $(pgrep -f "containerd-shim-runc-v2 .*-address $LAB/"); do kill "$s"; done
grep -o " $LAB/[^ ]*" /proc/mounts | sort -r | while read -r m; do umount -l "$m" 2>/dev/null; done
ip link show k8slab0 >/dev/null 2>&1 && ip link del k8slab0
for d in /sys/fs/cgroup/*/kubepods; do [ -d "$d" ] && find "$d" -depth -type d -exec rmdir {} + 2>/dev/null; done
[ -n "${KEEP:-}" ] || rm -rf "$LAB"
exit 0
