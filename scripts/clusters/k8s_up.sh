#!/usr/bin/env bash
# k8s_up.sh - a real single-node Kubernetes (etcd, kube-apiserver, controller-manager, scheduler, containerd+runc, kubelet) on one
# machine, no systemd, no docker, no image registry. Needs k8s_build.sh's binaries in $BIN and root. Idempotent. Stop: k8s_down.sh.
# API at https://127.0.0.1:16443 ; KUBECONFIG=$LAB/admin.kubeconfig
# WITH_NODE=0 starts the control plane only (API server: real validation, no pods run).
set -euo pipefail
LAB=${LAB:-${TMPDIR:-/tmp}/clusters/k8s-lab} BIN=${BIN:-${TMPDIR:-/tmp}/clusters/k8s/bin} WITH_NODE=${WITH_NODE:-1}
HERE=$(cd "$(dirname "$0")" && pwd)
export PATH=$BIN:$PATH KUBECONFIG=$LAB/admin.kubeconfig
say() { echo "[k8s_up] $*" >&2; }
ok() { timeout 5 kubectl get --raw /readyz >/dev/null 2>&1; }
if [ "$WITH_NODE" = 1 ] && ! { command -v containerd && command -v runc && command -v dnsmasq && [ -d /usr/lib/cni ] && command -v openssl; } >/dev/null; then
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends containerd runc containernetworking-plugins dnsmasq-base iptables openssl >/dev/null
fi
mkdir -p "$LAB"/{etcd,certs,log,run,manifests,cni,images}
# a daemon in its own session with a pid file
start() { local n=$1; shift; local p; p=$(cat "$LAB/run/$n.pid" 2>/dev/null || true)
  if [ -n "$p" ] && [ "$(cut -c1-15 "/proc/$p/comm" 2>/dev/null)" = "${n:0:15}" ]; then return 0; fi
  setsid -f sh -c 'echo $$ >"$0"; exec "$@"' "$LAB/run/$n.pid" "$@" >>"$LAB/log/$n.log" 2>&1 </dev/null; }

[ -s "$LAB/certs/sa.key" ] || openssl genrsa -out "$LAB/certs/sa.key" 2048 2>/dev/null
[ -s "$LAB/tokens.csv" ] || { T=$(openssl rand -hex 16); echo "$T,admin,admin,system:masters" >"$LAB/tokens.csv"; chmod 600 "$LAB/tokens.csv"; }
TOKEN=$(cut -d, -f1 "$LAB/tokens.csv")
cat >"$KUBECONFIG" <<K
apiVersion: v1
kind: Config
clusters: [{name: lab, cluster: {server: "https://127.0.0.1:16443", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: "$TOKEN"}}]
contexts: [{name: lab, context: {cluster: lab, user: admin, namespace: default}}]
current-context: lab
K
chmod 600 "$KUBECONFIG"

start etcd etcd --data-dir "$LAB/etcd" --listen-client-urls http://127.0.0.1:12379 --advertise-client-urls http://127.0.0.1:12379 \
  --listen-peer-urls http://127.0.0.1:12380 --initial-advertise-peer-urls http://127.0.0.1:12380 --initial-cluster default=http://127.0.0.1:12380 --log-level warn
start kube-apiserver kube-apiserver --etcd-servers http://127.0.0.1:12379 --cert-dir "$LAB/certs" --bind-address 127.0.0.1 --advertise-address 127.0.0.1 --secure-port 16443 \
  --service-cluster-ip-range 10.96.0.0/16 --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$LAB/certs/sa.key" \
  --service-account-signing-key-file "$LAB/certs/sa.key" --token-auth-file "$LAB/tokens.csv" --authorization-mode RBAC --allow-privileged=true \
  --endpoint-reconciler-type none --kubelet-preferred-address-types Hostname --watch-cache=true
for _ in $(seq 150); do ok && break; sleep 0.2; done; ok || { tail -5 "$LAB/log/kube-apiserver.log" >&2; exit 1; }
start kube-controller-manager kube-controller-manager --kubeconfig "$KUBECONFIG" --service-account-private-key-file "$LAB/certs/sa.key" --leader-elect=false --bind-address 127.0.0.1 --cert-dir "$LAB/certs" --controllers '*,-node-ipam-controller,-cloud-node-lifecycle-controller' --kube-api-qps 100 --kube-api-burst 200
start kube-scheduler kube-scheduler --kubeconfig "$KUBECONFIG" --leader-elect=false --bind-address 127.0.0.1 --cert-dir "$LAB/certs"
[ "$WITH_NODE" = 1 ] || { say "control plane up"; echo "export KUBECONFIG=$KUBECONFIG PATH=$BIN:\$PATH"; exit 0; }

cat >"$LAB/cni/10-lab.conflist" <<C
{"cniVersion":"0.4.0","name":"lab","plugins":[{"type":"bridge","bridge":"k8slab0","isGateway":true,"ipMasq":false,"ipam":{"type":"host-local","ranges":[[{"subnet":"10.88.0.0/24"}]],"routes":[{"dst":"0.0.0.0/0"}],"dataDir":"$LAB/cni-data"}}]}
C
cat >"$LAB/containerd.toml" <<C
version = 2
root = "$LAB/containerd/root"
state = "$LAB/containerd/state"
[grpc]
  address = "$LAB/run/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "lab.local/pause:1"
  disable_tcp_service = true
  restrict_oom_score_adj = true   # without CAP_SYS_RESOURCE runc cannot lower oom_score_adj (fails: "can't get final child's PID from pipe")
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$LAB/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
C
# cluster DNS on the bridge's own address, so headless Services resolve inside pods
ip link show k8slab0 >/dev/null 2>&1 || { ip link add k8slab0 type bridge; ip addr add 10.88.0.1/24 dev k8slab0; ip link set k8slab0 up; }
mkdir -p "$LAB/hosts"
start dnsmasq dnsmasq --conf-file=/dev/null --keep-in-foreground --user=root --pid-file= --bind-interfaces --listen-address=10.88.0.1 \
  --except-interface=lo --no-resolv --no-hosts --local=/cluster.local/ --hostsdir="$LAB/hosts"
start k8s_dns.sh "$HERE/k8s_dns.sh" "$LAB/hosts"
start containerd containerd -c "$LAB/containerd.toml"
export CONTAINERD_ADDRESS=$LAB/run/containerd.sock CONTAINERD_NAMESPACE=k8s.io
for _ in $(seq 100); do ctr version >/dev/null 2>&1 && break; sleep 0.2; done
if ! ctr images ls -q | grep -q lab.local/pause:1; then
  mkdir -p "$LAB/images/pause"; cp "$BIN/pause" "$LAB/images/pause/pause"
  bash "$HERE/pack_image.sh" "$LAB/images/pause" lab.local/pause:1 '["/pause"]' "$LAB/images/pause.tar"
  ctr images import "$LAB/images/pause.tar" >/dev/null
fi
cat >"$LAB/kubelet.yaml" <<C
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://$LAB/run/containerd.sock
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
cgroupsPerQOS: true
enforceNodeAllocatable: []
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
address: 127.0.0.1
port: 11250
readOnlyPort: 0
healthzPort: 0
staticPodPath: $LAB/manifests
podLogsDir: $LAB/podlogs
resolvConf: /etc/resolv.conf
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%}
imageGCHighThresholdPercent: 100
makeIPTablesUtilChains: false
clusterDNS: [10.88.0.1]
clusterDomain: cluster.local
C
start kubelet kubelet --config "$LAB/kubelet.yaml" --kubeconfig "$KUBECONFIG" --root-dir "$LAB/kubelet" --cert-dir "$LAB/certs" --hostname-override localhost
for _ in $(seq 150); do [ "$(kubectl get node localhost -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}' 2>/dev/null)" = True ] && break; sleep 0.4; done
kubectl get node localhost >&2
kubectl get serviceaccount default >/dev/null 2>&1 || sleep 2
say "up"; echo "export KUBECONFIG=$KUBECONFIG PATH=$BIN:\$PATH CONTAINERD_ADDRESS=$LAB/run/containerd.sock CONTAINERD_NAMESPACE=k8s.io"
