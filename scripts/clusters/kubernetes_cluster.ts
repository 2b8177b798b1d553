import { fileURLToPath } from "node:url";
import { compileAll } from "../compile.ts";
import { buildStamp } from "../compile/build_stamp.ts";
import { hostTarget, targetsOf } from "../compile/targets.ts";
import { ociImage } from "../package/oci_image.ts";
import { Relay } from "./relay.ts";
import { hasCommand, type Ran, runCommand } from "./run_command.ts";
import { check, until } from "./steps.ts";

const HERE = fileURLToPath(new URL("./", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The host's address on the bridge of the pods. */
const HOST = "10.88.0.1";
const PORT = 18_000;
/** Enforces the strictest of the standards for pods. */
const NAMESPACE = "inferometer";
/** The module whose archive holds the definition of JobSets. */
const JOBSET = "sigs.k8s.io/jobset@v0.10.1";
const JOB_SECONDS = 120;
const BIN = Deno.env.get("BIN") ?? `${Deno.env.get("TMPDIR") ?? "/tmp"}/clusters/k8s/bin`;

/** The reason why it cannot run here; undefined if it can. */
export async function kubernetesObstacle(): Promise<string | undefined> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return "it needs root on Linux";
  for (const name of ["kube-apiserver", "kubelet", "kubectl", "etcd", "pause"]) {
    const isThere = await Deno.stat(`${BIN}/${name}`).then(() => true, () => false);
    if (isThere) continue;
    return `there is no ${BIN}/${name}: bash scripts/clusters/k8s_build.sh makes it with Go, ` +
      "once, in 7 to 17 minutes";
  }
  for (const command of ["containerd", "runc", "dnsmasq"]) {
    if (!await hasCommand(command) && !await hasCommand("apt-get")) {
      return `${command} is not installed`;
    }
  }
  return undefined;
}

/** What makes the executable, where there is none yet. */
export interface ImageSource {
  /** Folder with the runtimes of executables. */
  readonly denort: string | undefined;
}

/** A real Kubernetes of one node on this machine, with an image of the executable. */
export class KubernetesCluster {
  readonly lab: string;
  /** Folder of the host that pods have as the claim `results`. */
  readonly results: string;
  #image = "";
  #program = "";
  #relay: Relay | undefined;
  #server: Deno.ChildProcess | undefined;

  constructor(lab: string) {
    this.lab = lab;
    this.results = `${lab}/results`;
  }

  async up({ denort }: ImageSource): Promise<void> {
    Deno.env.set("LAB", `${this.lab}/k8s`);
    Deno.env.set("BIN", BIN);
    Deno.env.set("PATH", `${BIN}:${Deno.env.get("PATH")}`);
    Deno.env.set("KUBECONFIG", `${this.lab}/k8s/admin.kubeconfig`);
    Deno.env.set("CONTAINERD_ADDRESS", `${this.lab}/k8s/run/containerd.sock`);
    Deno.env.set("CONTAINERD_NAMESPACE", "k8s.io");
    const { code, stderr } = await runCommand("bash", [`${HERE}k8s_up.sh`]);
    check(code === 0, `the cluster does not come up: ${stderr.trim().split("\n").at(-1)}`);
    await this.#importImage(denort);
    await Deno.mkdir(this.results);
    // The pods run as nobody.
    await Deno.chmod(this.results, 0o777);
    await this.#apply(foundation(this.results));
    await this.#serve();
  }

  /** Makes the image without docker, and has the node know it. */
  async #importImage(denort: string | undefined): Promise<void> {
    const targets = targetsOf([hostTarget() as string]);
    const given = Deno.env.get("INFEROMETER_BINARY");
    const [path] = given === undefined
      ? (await compileAll({ targets, denortFolder: denort, outputFolder: `${this.lab}/bin` })).paths
      : [given];
    this.#program = path as string;
    const stamp = await buildStamp(ROOT);
    const read = (name: string) => Deno.readTextFile(`${ROOT}${name}`);
    const source = {
      stamp,
      readme: await read("README.md"),
      license: await read("LICENSE"),
      notices: await read("src/cli/commands/licenses.txt"),
      changelog: await read("CHANGELOG.md"),
    };
    const program = await Deno.readFile(this.#program);
    const target = targets[0] as typeof targets[number];
    const image = await ociImage([[target, program]], source, `${ROOT}.cache/debian`);
    await Deno.writeFile(`${this.lab}/image.tar`, image);
    const { code, stdout, stderr } = await runCommand("ctr", [
      ...["images", "import", `${this.lab}/image.tar`],
    ]);
    check(code === 0, `the image cannot be imported: ${stderr}`);
    const names = (await runCommand("ctr", ["images", "ls", "-q"])).stdout.split("\n");
    this.#image = names.find((name) => name.endsWith(`/inferometer:${stamp.version}`)) ?? "";
    check(this.#image !== "", `the image has another name: ${stdout}`);
  }

  async #serve(): Promise<void> {
    this.#server = new Deno.Command(this.#program, {
      args: ["mock", "--port", "0", "--ttft", "30", "--itl", "4"],
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = this.#server.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    const [, port] = /:(\d+)\s*$/.exec(new TextDecoder().decode(value)) ?? [];
    check(port !== undefined, "the mock server does not start");
    this.#relay = new Relay({ hostname: HOST, port: PORT }, Number(port));
  }

  /** Runs the program on the host. */
  async inferometer(args: readonly string[]): Promise<Ran> {
    return await runCommand(this.#program, args);
  }

  /** What `inferometer launch k8s` prints for three shards. */
  async manifest(name: string, options: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.inferometer([
      ...["launch", "k8s", "--shards", "3", "--job-name", name, "--image", this.#image],
      ...["--cpus", "0.25", "--memory", "256Mi", "--url", `${HOST}:${PORT}`],
      ...["--model", "mock-model", "--streaming", "--osl", "16", "--isl", "64"],
      ...["--tokenizer", "builtin", ...options],
    ]);
    check(code === 0, `launch: ${stderr}`);
    return stdout;
  }

  async kubectl(args: readonly string[], input?: string): Promise<Ran> {
    return await runCommand("kubectl", ["--namespace", NAMESPACE, ...args], input);
  }

  /**
   * Has the API server look at a manifest, strictly; why it refuses it, undefined if it does
   * not.
   */
  async refusal(manifest: string): Promise<string | undefined> {
    const args = ["apply", "--dry-run=server", "--validate=strict", "-f", "-"];
    const { code, stderr } = await this.kubectl(args, manifest);
    // What a pod would not be allowed is a warning here, as the pods are made later.
    const isFine = code === 0 && !/^Warning:/m.test(stderr);
    return isFine ? undefined : stderr.trim();
  }

  async #apply(manifest: string, args: readonly string[] = []): Promise<void> {
    const { code, stderr } = await this.kubectl(["apply", ...args, "-f", "-"], manifest);
    check(code === 0, `kubectl apply: ${stderr}`);
  }

  /** Begins what a manifest says. */
  async start(manifest: string): Promise<void> {
    await this.#apply(manifest);
  }

  /**
   * Teaches the API server what JobSets are.
   * @param given file with the definition; undefined for the one in the archive of its module
   */
  async defineJobSets(given: string | undefined): Promise<void> {
    const path = given ?? await jobSetDefinition();
    // It is too long for the note that kubectl makes otherwise.
    await this.#apply(await Deno.readTextFile(path), ["--server-side"]);
    await until("the definition of JobSets", 20, async () => {
      const { code } = await this.kubectl(["get", "jobsets"]);
      return code === 0;
    });
  }

  /** Waits for the end of a job; how it ended, and which of its pods failed. */
  async ended(name: string): Promise<{ readonly type: string; readonly failed: string }> {
    let type = "";
    let failed = "";
    await until(`the end of job ${name}`, JOB_SECONDS, async () => {
      const { stdout } = await this.kubectl(["get", "job", name, "-o", "json"]);
      const { status = {} } = JSON.parse(stdout || "{}");
      type = status.conditions?.find(({ type, status }: Record<string, string>) =>
        status === "True" && (type === "Complete" || type === "Failed")
      )?.type ?? "";
      failed = status.failedIndexes ?? "";
      return type !== "";
    });
    return { type, failed };
  }

  /** The pod of a shard. */
  async pod(name: string, index: number): Promise<string> {
    const labels = `job-name=${name},batch.kubernetes.io/job-completion-index=${index}`;
    const path = "jsonpath={.items[*].metadata.name}";
    return (await this.kubectl(["get", "pods", "-l", labels, "-o", path])).stdout.trim();
  }

  /** What a shard has printed. */
  async log(name: string, index: number): Promise<string> {
    return (await this.kubectl(["logs", await this.pod(name, index)])).stdout;
  }

  /** Waits until so many requests have been sent to the server since it began. */
  async requests(): Promise<number> {
    const { stdout } = await runCommand("curl", ["-s", `http://${HOST}:${PORT}/metrics`]);
    const counts = stdout.matchAll(/^vllm:request_success_total\{[^}]*\} (\S+)/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** The process of a shard, as the host knows it. */
  async processOf(index: number): Promise<number> {
    for await (const { name } of Deno.readDir("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      const text = await Deno.readTextFile(`/proc/${name}/environ`).catch(() => "");
      const words = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
      const isShard = text.split("\0").includes(`JOB_COMPLETION_INDEX=${index}`);
      if (isShard && words.includes("inferometer\0profile\0")) return Number(name);
    }
    throw new RangeError(`Shard ${index} does not run`);
  }

  /** Removes what a manifest has made. */
  async remove(name: string): Promise<void> {
    await this.kubectl(["delete", "job,service,secret", "-l", `app.kubernetes.io/name=${name}`]);
  }

  async down(): Promise<void> {
    this.#relay?.close();
    if (this.#server !== undefined) {
      this.#server.kill("SIGTERM");
      await this.#server.stdout.cancel();
      await this.#server.status;
    }
    await runCommand("bash", [`${HERE}k8s_down.sh`]);
  }
}

/** The file with the definition of JobSets. */
async function jobSetDefinition(): Promise<string> {
  const { stdout } = await runCommand("go", ["mod", "download", "-json", JOBSET]);
  const { Dir: folder, Error: error } = JSON.parse(stdout || "{}") as {
    readonly "Dir"?: string;
    readonly "Error"?: string;
  };
  check(folder !== undefined, `${JOBSET} cannot be fetched; give its file by --jobset: ${error}`);
  return `${folder}/config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml`;
}

/** The namespace, and a folder of the host as a volume of all pods. */
function foundation(folder: string): string {
  return `apiVersion: v1
kind: Namespace
metadata:
  name: ${NAMESPACE}
  labels: {pod-security.kubernetes.io/enforce: restricted, pod-security.kubernetes.io/warn: restricted}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: results}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteMany]
  hostPath: {path: ${folder}}
  storageClassName: ""
  claimRef: {namespace: ${NAMESPACE}, name: results}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: results, namespace: ${NAMESPACE}}
spec:
  accessModes: [ReadWriteMany]
  storageClassName: ""
  resources: {requests: {storage: 1Gi}}
  volumeName: results
`;
}
