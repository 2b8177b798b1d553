import assert from "node:assert/strict";
import { parseAllDocuments } from "npm:yaml@2.9.1";
import { kubernetesManifest } from "../../../src/config/launch/kubernetes_manifest.ts";
import type { KubernetesPlan } from "../../../src/config/launch/launch_plan.ts";
import { launchWords } from "../../../src/config/launch/launch_words.ts";
import { mpiScript } from "../../../src/config/launch/mpi_script.ts";
import { slurmScript } from "../../../src/config/launch/slurm_script.ts";
import { runCli } from "../../support/run_cli.ts";
import { works } from "../../support/works.ts";

const FOLDER = new URL("../../../fixtures/launch/", import.meta.url);

const PLAN: KubernetesPlan = {
  shards: 3,
  tasksPerNode: 1,
  cpus: 2,
  timeLimit: undefined,
  jobName: "inferometer",
  port: 29400,
  runWords: ["--url", "http://server:8000", "--streaming", "--concurrency", "96"],
  artifactDir: undefined,
  seed: undefined,
  secretVariables: [],
  product: "inferometer/1.2.3",
  image: "registry.local/inferometer:1.2.3",
  memory: "2Gi",
  claim: undefined,
  isJobSet: false,
  token: "0123456789abcdef0123456789abcdef",
  freshSeed: 42,
};
/** Everything else than by default, and words that a shell would take for its own. */
const RICH: KubernetesPlan = {
  ...PLAN,
  shards: 16,
  tasksPerNode: 4,
  cpus: 8,
  timeLimit: 90_061,
  jobName: "night-run",
  port: 30001,
  runWords: [
    ...["--url", "http://server:8000", "--extra-inputs", 'stop:["it\'s $HOME"]'],
    ...[
      "--model",
      "meta/llama 3",
      "--on-429",
      "wait",
      "--tag",
      "a=$(date)",
      "--request-rate",
      "90",
    ],
    ...["--benchmark-duration=5m", "--request-count", "-1"],
  ],
  artifactDir: "/scratch/my results",
  seed: 7,
  secretVariables: ["INFEROMETER_API_KEY"],
  claim: "results",
  isJobSet: true,
};

const GOLDEN: readonly (readonly [name: string, text: string])[] = [
  ["slurm.sh", slurmScript(PLAN)],
  ["slurm_rich.sh", slurmScript(RICH)],
  ["mpi.sh", mpiScript(PLAN)],
  ["mpi_rich.sh", mpiScript(RICH)],
  ["indexed_job.yaml", kubernetesManifest(PLAN)],
  ["jobset.yaml", kubernetesManifest(RICH)],
];

Deno.test("scripts and manifests are those of fixtures/launch/", async () => {
  for (const [name, text] of GOLDEN) {
    const file = new URL(name, FOLDER);
    if (Deno.env.get("INFEROMETER_TEST_WRITE_GOLDEN") === "1") await Deno.writeTextFile(file, text);
    assert.equal(text, await Deno.readTextFile(file), name);
  }
});

Deno.test({
  name: "shellcheck finds nothing in the scripts",
  ignore: !works("shellcheck"),
  async fn() {
    const scripts = GOLDEN.map(([name]) => name).filter((name) => name.endsWith(".sh"));
    const { success, stdout } = await new Deno.Command("shellcheck", { args: scripts, cwd: FOLDER })
      .output();
    assert.ok(success, new TextDecoder().decode(stdout));
  },
});

Deno.test("a shell hands on the options of a run as they were given", async () => {
  for (const script of [slurmScript(RICH), mpiScript(RICH)]) {
    // The command alone, with a function that prints its words in the place of the program.
    const start = script.indexOf('"$INFEROMETER" profile');
    const command = script.slice(start, script.indexOf("|| rc=$?", start));
    const words = await new Deno.Command("sh", {
      args: [
        "-c",
        `show() { for word in "$@"; do printf '%s\\n' "$word"; done; }; ${
          command.replace('"$INFEROMETER"', "show")
        }`,
      ],
      env: { head: "n1", HEAD: "n1", token: "t", DIR: "d" },
    }).output();
    const lines = new TextDecoder().decode(words.stdout).trimEnd().split("\n");
    assert.deepEqual(lines.slice(-RICH.runWords.length), RICH.runWords);
  }
});

Deno.test("a manifest has what lets pods be confined, and no more pods than shards", () => {
  for (const plan of [PLAN, RICH]) {
    const documents = parseAllDocuments(kubernetesManifest(plan)).map((one) => one.toJS());
    const kinds = documents.map(({ kind }) => kind);
    assert.deepEqual(kinds, plan.isJobSet ? ["Secret", "JobSet"] : ["Secret", "Service", "Job"]);
    const { spec } = documents.at(-1);
    const job = plan.isJobSet ? spec.replicatedJobs[0].template.spec : spec;
    assert.deepEqual([job.completions, job.parallelism], [plan.shards, plan.shards]);
    assert.equal(job.backoffLimitPerIndex, 0);
    const pod = job.template.spec;
    const [container] = pod.containers;
    assert.equal(pod.securityContext.runAsNonRoot, true);
    assert.equal(pod.securityContext.seccompProfile.type, "RuntimeDefault");
    assert.equal(container.securityContext.readOnlyRootFilesystem, true);
    assert.deepEqual(container.securityContext.capabilities, { drop: ["ALL"] });
    assert.equal(container.args.includes("--collect"), plan.claim === undefined);
    const head = plan.isJobSet
      ? "night-run-shard-0-0.night-run:30001"
      : "inferometer-0.inferometer:29400";
    assert.equal(container.args[container.args.indexOf("--rendezvous") + 1], head);
    assert.ok(!JSON.stringify(container).includes(plan.token), "the token is in the Secret alone");
  }
});

Deno.test("a manifest has texts where YAML 1.1 has something else", () => {
  const words = [
    "yes",
    "No",
    "on",
    "off",
    "y",
    "12:30:00",
    "1_000",
    "0x1f",
    "1e3",
    "null",
    "~",
    "=",
  ];
  const [, , job] = parseAllDocuments(
    kubernetesManifest({ ...PLAN, runWords: words, jobName: "on" }),
    { version: "1.1" },
  );
  const { metadata, spec } = job?.toJS() ?? {};
  assert.equal(metadata.name, "on");
  assert.deepEqual(spec.template.spec.containers[0].args.slice(-words.length), words);
});

Deno.test("a short job hears of its end before that, and not when it begins", () => {
  const signalOf = (timeLimit: number): string | undefined =>
    /--signal=TERM@(\d+)/.exec(slurmScript({ ...PLAN, timeLimit }))?.[1];
  assert.deepEqual([5, 90, 300, 600, 90_000].map(signalOf), ["1", "9", "30", "60", "60"]);
});

Deno.test("--collect is said once, and needs no rendezvous but the manifest's", async () => {
  const run = ["--url", "server:8000", "--model", "m", "--concurrency", "3", "--shards", "3"];
  for (const more of [[], ["--collect"], ["--claim", "results", "--collect"]]) {
    const { code, stdout, stderr } = await runCli(["launch", "k8s", ...run, ...more]);
    assert.equal(code, 0, stderr);
    assert.equal(stdout.match(/--collect\b/g)?.length, 1);
  }
});

Deno.test("launchWords leaves out what the launcher says, and secrets", () => {
  const given = [
    ...["slurm", "--shards", "4", "--url", "http://a", "b:1", "--cpus=8", "--api-key", "sk-secret"],
    ...["--artifact-dir", "d", "--random-seed=7", "--header", "X-A: 1", "--streaming", "--jobset"],
    ...["--extra-inputs", "a:1", "b:2", "--model", "slurm", "--request-rate", "-5"],
  ];
  assert.deepEqual(launchWords(given, "slurm"), {
    words: [
      ...["--url", "http://a", "b:1", "--header", "X-A: 1", "--streaming"],
      ...["--extra-inputs", "a:1", "b:2", "--model", "slurm", "--request-rate", "-5"],
    ],
    secretVariables: ["INFEROMETER_API_KEY"],
    listVariables: [],
  });
  const secret = launchWords(["k8s", "--header", "Authorization: Bearer x", "--osl", "9"], "k8s");
  const secretVariables = ["INFEROMETER_HEADER"];
  assert.deepEqual(secret, { words: ["--osl", "9"], secretVariables, listVariables: [] });
  // A command line with one of them would take the place of the variable.
  const several = launchWords(
    ["mpi", "--header", "X-A: 1", "--osl", "9", "--header", "Cookie: x", "--header", "X-B: 2"],
    "mpi",
  );
  assert.deepEqual(several, {
    words: ["--osl", "9"],
    secretVariables,
    listVariables: secretVariables,
  });
});

Deno.test("launch refuses what no API server takes, and what is for Kubernetes alone", async () => {
  const run = ["--url", "server:8000", "--model", "m", "--concurrency", "3", "--shards", "3"];
  const cases: [args: string[], message: RegExp][] = [
    [["k8s", "--image", "a b"], /--image: Must be the name of an image: got "a b"/],
    [["k8s", "--job-name", "1st"], /--job-name: Must be a name that begins with a letter/],
    [["k8s", "--memory", "lots"], /--memory: Must be a quantity of Kubernetes, .* got "lots"/],
    [["k8s", "--claim", "My Results"], /--claim: Must be the name of a volume claim/],
    [["k8s", "--artifact-dir", "/tmp"], /--artifact-dir: Must be a folder below \/ of its own/],
    [["slurm", "--jobset"], /--jobset: Only with launch k8s, not slurm/],
    [["mpi", "--claim", "results"], /--claim: Only with launch k8s, not mpi/],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await runCli(["launch", ...args, ...run]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, message);
  }
});
