import assert from "node:assert/strict";
import { startLocalMock } from "./local_mock.ts";
import { withFolder } from "./artifacts.ts";
import { NO_FLUSH, runCli } from "./run_cli.ts";

/** What keeps a command of a page short, where it says nothing of it. */
const SHORTER: readonly (readonly [string, string])[] = [
  ["--benchmark-duration 30s", "--benchmark-duration 1s"],
  ["--duration 60s", "--duration 1s"],
  ["--benchmark-duration 6", "--benchmark-duration 1"],
  ["--request-rate-ramp-duration 3", "--request-rate-ramp-duration 0.6"],
  ["--benchmark-duration 4", "--benchmark-duration 1"],
  ["--session-turn-delay-mean 500", "--session-turn-delay-mean 5"],
  ["--concurrency 2,4,8", "--concurrency 2,4"],
  ["--num-profile-runs 3", "--num-profile-runs 2"],
  [
    "--input-file agents_weka.json --concurrency",
    "--tool-time none --input-file agents_weka.json --concurrency",
  ],
  ["--tool-time cap:10s", "--tool-time cap:10ms --user-time none"],
  ["--input-file agents_graph.jsonl", "--input-file agents_graph.jsonl --user-time cap:10ms"],
  ["--request-count 1200", "--request-count 40"],
  [
    '--isl 512 --osl 16 --search max-concurrency --slo "ttft.p95<100ms"',
    '--request-count 8 --osl 8 --concurrency-max 2 --search max-concurrency --slo "ttft.p95<5s"',
  ],
];

/** What a page takes for granted. */
export interface PageSetting {
  /** Folders of runs that there are. */
  readonly runs: readonly string[];
  /** Other files, by their names; a server's address in them is replaced. */
  readonly files: Readonly<Record<string, string>>;
  /** Requests of those runs. @default 2 */
  readonly requests?: number;
}

/** Commands in a page of Markdown; lines that end in a backslash are joined with the next one. */
export function commandsOf(page: string): string[] {
  return [...page.matchAll(/```sh\n([^`]+)```/g)]
    .flatMap(([, text]) => (text as string).replaceAll(/\\\n\s*/g, "").trim().split("\n"));
}

/**
 * Runs the commands of a page in their order, each as a step, against a mock server of its own.
 * Other programs than inferometer run in a shell, and are skipped where they are not installed.
 */
export async function runPage(
  t: Deno.TestContext,
  commands: readonly string[],
  { runs, files, requests = 2 }: PageSetting,
): Promise<void> {
  using mock = await startLocalMock(["--ttft", "2", "--itl", "0.1"]);
  const host = mock.url.replace("http://", "");
  const replaced = (text: string): string =>
    text.replaceAll("localhost:8000", host)
      .replaceAll("https://llm.example.com", "http://llm.example.com")
      .replaceAll(/10\.0\.0\.7:\d+/g, host);
  await withFolder(async (folder) => {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, replaced(text));
    }
    const run = async (command: string) => {
      const text = SHORTER.reduce((text, [long, short]) => text.replace(long, short), command);
      const { args, env } = parsedCommand(replaced(text));
      return await runCli(args, { cwd: folder, env: { ...NO_FLUSH, ...env } });
    };
    const first = `inferometer profile --url localhost:8000 --request-count ${requests}`;
    for (const name of runs) {
      assert.equal((await run(`${first} --artifact-dir ${name}`)).code, 0);
    }
    for (const command of commands) {
      const ours = parsedCommand(command).start >= 0;
      const ignore = !ours && !isInstalled(command);
      await t.step({
        name: command,
        ignore,
        fn: async () => {
          const { code, stderr } = await (ours ? run(command) : runInShell(command, folder));
          assert.ok(endsOf(command).includes(code), `exit code ${code}: ${stderr}`);
        },
      });
    }
  });
}

/** Exit codes of a command: whether a run is worse than another one, or valid, depends on the machine. */
function endsOf(command: string): readonly number[] {
  return /^inferometer gate|--require-valid/.test(command) ? [0, 3] : [0];
}

/** The words of a command line and the variables before it, as a shell reads them. */
export function parsedCommand(
  command: string,
): { start: number; args: string[]; env: Record<string, string> } {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) =>
    quoted ?? bare ?? ""
  );
  const start = words.indexOf("inferometer");
  const env = Object.fromEntries(words.slice(0, start).map((word) => word.split("=", 2)));
  return { start, args: words.slice(start + 1), env };
}

/** Whether the first word of a command is a program that a shell finds here. */
function isInstalled(command: string): boolean {
  try {
    const program = command.split(" ", 1)[0] as string;
    return new Deno.Command("sh", { args: ["-c", 'command -v "$0"', program], stdout: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

async function runInShell(
  command: string,
  cwd: string,
): Promise<{ code: number; stderr: string }> {
  const { code, stderr } = await new Deno.Command("sh", { args: ["-c", command], cwd }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}
