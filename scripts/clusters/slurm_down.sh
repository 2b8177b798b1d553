#!/usr/bin/env bash
# slurm_down.sh - stop what slurm_up.sh started (by pid file only). KEEP=1 keeps the lab folder (logs).
set -uo pipefail
LAB=${LAB:-${TMPDIR:-/tmp}/clusters/slurm-lab}
[ -d "$LAB" ] || exit 0
export SLURM_CONF=$LAB/etc/slurm.conf
stop() { # pidfile expected-name
  local p; p=$(cat "$1" 2>/dev/null) || return 0
  [ -n "$p" ] && [ "$(cat "/proc/$p/comm" 2>/dev/null)" = "$2" ] || { rm -f "$1"; return 0; }
  kill "$p" 2>/dev/null; for _ in $(seq 50); do [ -d "/proc/$p" ] || break; sleep 0.1; done
  [ -d "/proc/$p" ] && kill -9 "$p" 2>/dev/null; rm -f "$1"; return 0
}
# cancel jobs first so no stepd or user process is left behind
if timeout 5 scontrol ping 2>/dev/null | grep -q UP; then
  ids=$(squeue -h -o %A 2>/dev/null | sort -u); [ -z "$ids" ] || scancel $ids 2>/dev/null
  for _ in $(seq 40); do [ -z "$(squeue -h 2>/dev/null)" ] && break; sleep 0.25; done
fi
for f in "$LAB"/run/slurmd-*.pid; do [ -e "$f" ] && stop "$f" slurmd; done
stop "$LAB/run/slurmctld.pid" slurmctld
stop "$LAB/munge/munged.pid" munged
for l in $(ip -o link show 2>/dev/null | grep -oE '\bsv[0-9]+@' | tr -d @); do ip link del "$l" 2>/dev/null; done
for ns in $(ip netns list 2>/dev/null | awk '/^slurm-n[0-9]+/{print $1}'); do ip netns del "$ns"; done
ip link show slurmbr0 >/dev/null 2>&1 && ip link del slurmbr0
rm -f "$LAB/shape"; [ -n "${KEEP:-}" ] || rm -rf "$LAB"
exit 0
