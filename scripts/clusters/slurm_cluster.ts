import { fileURLToPath } from "node:url";
import { ENGINE_FLAGS } from "../../src/config/sandbox/engine_flags.ts";
import { Relay } from "./relay.ts";
import { hasCommand, type Ran, runCommand } from "./run_command.ts";
import { check, until } from "./steps.ts";

const HERE = fileURLToPath(new URL("./", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Where the mock server of each node listens, and that of the host, which all nodes reach. */
export const PORT = 18_000;
/** The host's address on the bridge of the nodes. */
export const HOST = "10.77.0.1";
/** Where shard 0 listens. */
const RENDEZVOUS_PORT = 29_400;
const JOB_SECONDS = 120;
/** A folder on a small file system of its own: that of the last shard of the run called `full`. */
const SMALL_BYTES = "600k";

/** The reason why it cannot run here; undefined if it can. */
export async function slurmObstacle(isShort: boolean): Promise<string | undefined> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return "it needs root on Linux";
  for (const command of ["slurmctld", "slurmd", "munged", "ip", "nsenter"]) {
    if (await hasCommand(command)) continue;
    if (isShort) return `${command} is not installed (apt-get install slurmctld slurmd munge)`;
    if (!await hasCommand("apt-get")) return `${command} is not installed`;
  }
  const probe = await runCommand("unshare", ["--net", "--uts", "--mount", "true"]);
  return probe.code === 0 ? undefined : "namespaces cannot be made here";
}

/** A job that was submitted. */
export interface Job {
  readonly id: string;
  readonly name: string;
  /** The folder of its results. */
  readonly folder: string;
}

/**
 * A real Slurm whose nodes are network namespaces, each with an address and a server of its own.
 */
export class SlurmCluster {
  readonly lab: string;
  readonly nodes: number;
  readonly #servers: Deno.ChildProcess[] = [];
  #relay: Relay | undefined;

  constructor(lab: string, nodes: number) {
    this.lab = lab;
    this.nodes = nodes;
  }

  /** The folder on the small file system. */
  get smallFolder(): string {
    return `${this.lab}/results/full/shard-000${this.nodes - 1}-of-000${this.nodes}`;
  }

  async up(): Promise<void> {
    // The nodes have their own view of file systems from their beginning on.
    await Deno.mkdir(this.smallFolder, { recursive: true });
    const options = `size=${SMALL_BYTES}`;
    await runCommand("mount", ["-t", "tmpfs", "-o", options, "tmpfs", this.smallFolder]);
    Deno.env.set("LAB", `${this.lab}/slurm`);
    Deno.env.set("MODE", "netns");
    Deno.env.set("SLURM_CONF", `${this.lab}/slurm/etc/slurm.conf`);
    const { code, stderr } = await runCommand("bash", [`${HERE}slurm_up.sh`, String(this.nodes)]);
    check(code === 0, `the cluster does not come up: ${stderr.trim().split("\n").at(-1)}`);
    await this.#writeProgram();
    for (let node = 1; node <= this.nodes; node++) {
      await this.#serve(["nsenter", `--net=/run/netns/slurm-n${node}`], PORT);
    }
    const port = await this.#serve([], 0);
    this.#relay = new Relay({ hostname: HOST, port: PORT }, port);
  }

  async #serve(prefix: readonly string[], port: number): Promise<number> {
    const server = new Deno.Command("env", {
      args: [
        ...[...prefix, `${this.lab}/inferometer`, "mock", "--port", String(port)],
        ...["--ttft", "30", "--itl", "4"],
      ],
      stdout: "piped",
      stderr: "inherit",
      stdin: "null",
    }).spawn();
    this.#servers.push(server);
    const reader = server.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    const [, listening] = /:(\d+)\s*$/.exec(new TextDecoder().decode(value)) ?? [];
    check(listening !== undefined, "a mock server does not start");
    return Number(listening);
  }

  /** The program as the nodes have it: what {@linkcode before} says comes first. */
  async #writeProgram(): Promise<void> {
    const binary = Deno.env.get("INFEROMETER_BINARY");
    const program = binary === undefined
      ? `'${Deno.execPath()}' run -A --no-prompt --quiet ` +
        `${ENGINE_FLAGS} '${ROOT}src/main.ts'`
      : `'${binary}'`;
    await Deno.writeTextFile(
      `${this.lab}/inferometer`,
      `#!/bin/sh
first=
if [ "$1" = profile ] && [ -e "${this.lab}/before-$(uname -n)" ]; then
  . "${this.lab}/before-$(uname -n)"
fi
exec $first ${program} "$@"
`,
      { mode: 0o755 },
    );
  }

  /**
   * Has a node do something before it starts a shard, while the work goes on.
   * @param script lines of a shell; the words in `$first` stand in front of the program
   */
  async before<T>(node: number, script: string, work: () => Promise<T>): Promise<T> {
    const path = `${this.lab}/before-n${node}`;
    await Deno.writeTextFile(path, `${script}\n`);
    try {
      return await work();
    } finally {
      await Deno.remove(path);
    }
  }

  /** The folder of a run's results. */
  folder(name: string): string {
    return `${this.lab}/results/${name}`;
  }

  /** The options of every run, where the files of some have their own lengths. */
  common(url = `127.0.0.1:${PORT}`, options: readonly string[] = []): string[] {
    const lengths = options.includes("--input-file") ? [] : ["--osl", "16", "--isl", "64"];
    return [
      ...["--url", url, "--model", "mock-model", "--streaming"],
      ...[...lengths, "--tokenizer", "builtin"],
    ];
  }

  /** Prints a batch script with the product, and submits it. */
  async submit(name: string, options: readonly string[], url?: string): Promise<Job> {
    const printed = await this.inferometer([
      ...["launch", "slurm", "--shards", String(this.nodes), "--cpus", "1", "--job-name", name],
      ...["--rendezvous-port", String(RENDEZVOUS_PORT)],
      ...[...this.common(url, options), "--artifact-dir", this.folder(name), ...options],
    ]);
    check(printed.code === 0, `launch: ${printed.stderr}`);
    return await this.submitScript(name, printed.stdout);
  }

  /** Submits a batch script. */
  async submitScript(name: string, script: string): Promise<Job> {
    const submitted = await runCommand("sbatch", [
      ...["--parsable", "--chdir", this.lab, "--output", `${this.lab}/${name}.log`],
      ...["--export", `ALL,INFEROMETER=${this.lab}/inferometer`],
    ], script);
    check(submitted.code === 0, `sbatch: ${submitted.stderr}`);
    return { id: submitted.stdout.trim(), name, folder: this.folder(name) };
  }

  /**
   * Waits for a job; its state, such as COMPLETED. `sbatch --wait` would look every ten
   * seconds.
   */
  async state({ id, name }: Job, seconds = JOB_SECONDS): Promise<string> {
    let state = "UNKNOWN";
    await until(`the end of job ${name}`, seconds, async () => {
      const { stdout } = await runCommand("scontrol", ["show", "job", id]);
      [, state = "UNKNOWN"] = /JobState=(\w+)/.exec(stdout) ?? [];
      return !/^(PENDING|CONFIGURING|RUNNING|COMPLETING|UNKNOWN)$/.test(state);
    });
    await until(`the end of all processes of job ${name}`, seconds, async () => {
      const { stdout } = await runCommand("squeue", ["-h", "-j", id]);
      return stdout.trim() === "";
    });
    return state;
  }

  /** Waits for a job that is to end well. */
  async completed(job: Job): Promise<void> {
    const state = await this.state(job);
    check(state === "COMPLETED", `${state}\n${await this.log(job)}`);
  }

  /** What the batch script has printed, and each shard. */
  async log({ name, folder }: Job): Promise<string> {
    const paths = [
      `${this.lab}/${name}.log`,
      ...Array.from({ length: this.nodes }, (_, index) => `${folder}/shard-${index}.log`),
    ];
    const texts = await Promise.all(paths.map((path) => Deno.readTextFile(path).catch(() => "")));
    return texts.join("\n");
  }

  /** Runs the program on the host. */
  async inferometer(args: readonly string[]): Promise<Ran> {
    return await runCommand(`${this.lab}/inferometer`, args);
  }

  /** Waits until a shard has written so many bytes of records. */
  async recorded({ name, folder }: Job, index: number, bytes = 10_000): Promise<void> {
    const path = `${folder}/shard-000${index}-of-000${this.nodes}/profile_export.jsonl`;
    await until(`records of shard ${index} of ${name}`, JOB_SECONDS, async () => {
      const found = await Deno.stat(path).catch(() => undefined);
      return (found?.size ?? 0) >= bytes;
    });
  }

  /** Waits until the shard of a node has come to shard 0. */
  async hasCome(node: number): Promise<void> {
    const port = RENDEZVOUS_PORT.toString(16).toUpperCase();
    const established = new RegExp(`:${port} 01 `);
    await until(`the shard of node ${node} at the rendezvous`, JOB_SECONDS, async () => {
      const { stdout } = await this.#in(node, ["cat", "/proc/net/tcp"]);
      return established.test(stdout);
    });
  }

  /** The process of the shard of a node. */
  async processOf(node: number): Promise<number> {
    const { stdout } = await runCommand("ip", ["netns", "pids", `slurm-n${node}`]);
    for (const pid of stdout.trim().split("\n").map(Number)) {
      const words = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
      const [program = "", ...args] = words.split("\0");
      const isProgram = !/(^|\/)(srun|sh|bash|faketime)$/.test(program);
      if (isProgram && args.includes("profile") && args.includes("--shard")) return pid;
    }
    throw new RangeError(`No shard runs on node ${node}`);
  }

  #in(node: number, words: readonly string[]): Promise<Ran> {
    return runCommand("nsenter", [`--net=/run/netns/slurm-n${node}`, ...words]);
  }

  /** Requests that the server of a node has seen; 0 for that of the host. */
  async requestsAt(node: number): Promise<number> {
    const host = node === 0 ? HOST : "127.0.0.1";
    const words = ["curl", "-s", `http://${host}:${PORT}/metrics`];
    const { stdout } = node === 0
      ? await runCommand(words[0] as string, words.slice(1))
      : await this.#in(node, words);
    const counts = stdout.matchAll(/^vllm:request_success_total\{[^}]*\} (\S+)/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  async down(): Promise<void> {
    this.#relay?.close();
    for (const server of this.#servers) {
      server.kill("SIGTERM");
      await server.stdout.cancel();
      await server.status;
    }
    await runCommand("bash", [`${HERE}slurm_down.sh`]);
    await runCommand("umount", ["--lazy", this.smallFolder]);
  }
}
