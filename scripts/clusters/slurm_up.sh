#!/usr/bin/env bash
# slurm_up.sh - idempotent multi-node Slurm cluster on ONE machine, for tests. No systemd, no docker, root only.
#   slurm_up.sh [NODES]            default 2 nodes, mode "ports"
#   MODE=ports  every slurmd in the host's network, one port per node (slurmd -N nI); hostname is the host's
#   MODE=netns  every slurmd in its own network + UTS namespace: own IP 10.77.0.(10+i), own hostname nI, own loopback
#   CPUS=4      CPUs each node claims (oversubscribed on purpose: config_overrides)
#   LAB=${TMPDIR:-/tmp}/clusters/slurm-lab   state, logs, config, keys
# afterwards:  export SLURM_CONF=$LAB/etc/slurm.conf ; sinfo ; srun -N2 hostname ; sbatch --array=0-3 ...
# Debian 12: slurm-wlm 22.05.8 (apt-get install, ~5 s).
set -euo pipefail
NODES=${1:-${NODES:-2}} MODE=${MODE:-ports} CPUS=${CPUS:-4} LAB=${LAB:-${TMPDIR:-/tmp}/clusters/slurm-lab}
BASE_PORT=${BASE_PORT:-17100} CTLD_PORT=${CTLD_PORT:-17000} NET=${NET:-10.77.0}
[ "$(id -u)" = 0 ] || { echo "must be root" >&2; exit 1; }
[ "$NODES" -ge 1 ] && [ "$NODES" -le 100 ]
say() { echo "[slurm-up] $*" >&2; }

# 1. packages (policy-rc.d keeps apt from starting services; there may be no init at all)
if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null || ! command -v munged >/dev/null; then
  if [ ! -e /usr/sbin/policy-rc.d ]; then printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d; chmod +x /usr/sbin/policy-rc.d; OWN_POLICY=1; fi
  apt-get update -qq || true
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends munge slurm-client slurmctld slurmd iproute2 >/dev/null
  [ -z "${OWN_POLICY:-}" ] || rm -f /usr/sbin/policy-rc.d
fi

# 2. already up with the same shape? then nothing to do
WANT="nodes=$NODES mode=$MODE cpus=$CPUS"
export SLURM_CONF=$LAB/etc/slurm.conf
HERE=$(cd "$(dirname "$0")" && pwd)
if [ -f "$LAB/shape" ]; then
  if [ "$(cat "$LAB/shape")" = "$WANT" ] && timeout 5 scontrol ping 2>/dev/null | grep -q UP \
     && [ "$(timeout 5 sinfo -h -N -o '%N %T' 2>/dev/null | grep -cE ' (idle|mixed|allocated|completing)$')" = "$NODES" ]; then
    say "already up ($WANT)"; echo "export SLURM_CONF=$SLURM_CONF"; exit 0
  fi
  LAB=$LAB "$HERE/slurm_down.sh" >&2 || true
fi

mkdir -p "$LAB"/{etc,state,log,run,spool}; chmod 755 "$LAB" "$LAB"/*
install -d -o munge -g munge -m 755 "$LAB/munge"

# 3. munge: own key and socket, nothing in /etc is touched
KEY=$LAB/munge/munge.key SOCK=$LAB/munge/munge.socket
if [ ! -s "$KEY" ]; then (umask 077; head -c 128 /dev/urandom >"$KEY"); fi
chown munge:munge "$KEY"; chmod 400 "$KEY"
setpriv --reuid munge --regid munge --clear-groups munged --key-file="$KEY" --socket="$SOCK" \
  --pid-file="$LAB/munge/munged.pid" --log-file="$LAB/munge/munged.log" --seed-file="$LAB/munge/munged.seed"
for _ in $(seq 50); do munge -S "$SOCK" -n >/dev/null 2>&1 && break; sleep 0.1; done
munge -S "$SOCK" -n | unmunge -S "$SOCK" >/dev/null

# 4. configuration
MEM=$(awk '/MemTotal/{print int($2/1024)}' /proc/meminfo)
if [ "$MODE" = netns ]; then CTL_ADDR=$NET.1; else CTL_ADDR=127.0.0.1; fi
{ cat <<CONF
ClusterName=lab
SlurmctldHost=$(hostname -s)($CTL_ADDR)
SlurmctldPort=$CTLD_PORT
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$SOCK
CredType=cred/munge
StateSaveLocation=$LAB/state
SlurmdSpoolDir=$LAB/spool/%n
SlurmctldPidFile=$LAB/run/slurmctld.pid
SlurmdPidFile=$LAB/run/slurmd-%n.pid
SlurmctldLogFile=$LAB/log/slurmctld.log
SlurmdLogFile=$LAB/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout=30
InactiveLimit=0
MinJobAge=300
KillWait=5
Waittime=0
MaxArraySize=1001
MaxJobCount=5000
PropagateResourceLimits=NONE
CONF
  for i in $(seq 1 "$NODES"); do
    if [ "$MODE" = netns ]; then echo "NodeName=n$i NodeHostname=n$i NodeAddr=$NET.$((10+i)) Port=$BASE_PORT CPUs=$CPUS RealMemory=$MEM State=UNKNOWN"
    else echo "NodeName=n$i NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((BASE_PORT+i)) CPUs=$CPUS RealMemory=$MEM State=UNKNOWN"; fi
  done
  echo "PartitionName=lab Nodes=n[1-$NODES] Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO"
} >"$LAB/etc/slurm.conf"
# multi-prog / step launch needs no cgroup.conf because proctrack is linuxproc
echo "$WANT" >"$LAB/shape"

# 5. network for MODE=netns: one bridge, one veth pair and one namespace per node
if [ "$MODE" = netns ]; then
  ip link show slurmbr0 >/dev/null 2>&1 || { ip link add slurmbr0 type bridge; ip addr add "$NET.1/24" dev slurmbr0; }
  ip link set slurmbr0 up
  { echo "127.0.0.1 localhost"; echo "$NET.1 $(hostname -s)"; for j in $(seq 1 "$NODES"); do echo "$NET.$((10+j)) n$j"; done; } >"$LAB/etc/hosts"
  for i in $(seq 1 "$NODES"); do
    ns=slurm-n$i
    if ! ip netns list | grep -qw "$ns"; then
      ip netns add "$ns"; ip link del "sv$i" 2>/dev/null || true
      ip link add "sv$i" type veth peer name eth0 netns "$ns"
      ip link set "sv$i" master slurmbr0 up
      ip -n "$ns" addr add "$NET.$((10+i))/24" dev eth0
      ip -n "$ns" link set lo up; ip -n "$ns" link set eth0 up
    fi
  done
fi

# 6. daemons (-c: start from clean state). Each daemonises itself and writes its pid file.
slurmctld -f "$SLURM_CONF" -c
for i in $(seq 1 "$NODES"); do
  mkdir -p "$LAB/spool/n$i"
  if [ "$MODE" = netns ]; then
    # nsenter, not "ip netns exec": the latter remounts /sys and hides /sys/fs/cgroup, which slurmd insists on
    nsenter --net="/run/netns/slurm-n$i" unshare --uts --mount sh -c \
      "hostname n$i; mount --bind '$LAB/etc/hosts' /etc/hosts; exec slurmd -f '$SLURM_CONF' -N n$i -c"
  else slurmd -f "$SLURM_CONF" -N "n$i" -c; fi
done

# 7. wait until all nodes are idle
for _ in $(seq 100); do
  n=$(timeout 5 sinfo -h -N -o '%N %T' 2>/dev/null | grep -c ' idle$' || true)   # (-t idle also matches "unknown")
  [ "$n" = "$NODES" ] && break; sleep 0.2
done
if [ "${n:-0}" != "$NODES" ]; then
  say "only ${n:-0} of $NODES nodes idle"; sinfo -N -l >&2 || true; tail -n 5 "$LAB"/log/*.log >&2 || true; exit 1
fi
say "up: $WANT"; echo "export SLURM_CONF=$SLURM_CONF"
