/**
 * The program for the command lines of many tests, one after another in one process. Threads go from
 * a run to the next as they do from one run of a sweep to the next, which takes a quarter of the time
 * of a process for each.
 *
 * What a run gives up in a process of its own it gives up here until it ends: main's functions for
 * it refuse as the runtime does. Threads are born with the permissions of their job, but for ports
 * and folders: another run of the tests may use them with others.
 *
 * It stands alone, as it is bundled with the program (`bundled_program.ts`).
 */

import type { ThreadPermissions } from "../../src/config/sandbox/permissions.ts";
import type { ThreadStarter } from "../../src/config/sandbox/start_thread.ts";
import { KeptThreads } from "../../src/run/runner/kept_threads.ts";
import { ResultsClient } from "../../src/run/runner/results_client.ts";
import type { WarmThreads } from "../../src/run/runner/run_hooks.ts";

/** A line of standard input. */
export interface ResidentOrder {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** A line of standard output. */
export interface ResidentAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where tests have their folders. */
const FOLDER = (Deno.env.get("TMPDIR") ?? "/tmp").replace(/\/$/, "");
const HOME = Deno.cwd();

/** Functions by the permission that they need; those that end in `Sync` belong to them. */
const NEEDING: Readonly<Record<string, readonly string[]>> = {
  "read": ["open", "readFile", "readTextFile", "stat", "lstat", "realPath", "readLink"],
  "write": [
    ...["writeFile", "writeTextFile", "mkdir", "remove", "rename", "makeTempDir", "makeTempFile"],
    ...["copyFile", "create", "truncate", "chmod", "utime", "symlink", "link"],
  ],
  "net": ["connect", "connectTls", "resolveDns"],
};
/** The same of those that throw, and give no promise. */
const THROWING: readonly (readonly [permission: string, owner: object, name: string])[] = [
  ...["listen", "listenTls", "listenDatagram"].map((name) => ["net", Deno, name] as const),
  ...["hostname", "osRelease", "loadavg", "systemMemoryInfo"]
    .map((name) => ["sys", Deno, name] as const),
  ...["get", "has", "toObject"].map((name) => ["env", Deno.env, name] as const),
  ["run", Deno, "Command"],
  ["read", Deno, "readDir"],
];

/** Names of the permissions that the run has given up. */
const givenUp = new Set<string>();

function refusal(permission: string): Error {
  return new Deno.errors.NotCapable(`Requires ${permission} access, which the run has given up`);
}

// deno-lint-ignore no-explicit-any -- a function of the runtime, whatever it takes
type AnyFunction = any;

function replaceIn(owner: object, name: string, replaced: (real: AnyFunction) => unknown): void {
  const value = replaced(Reflect.get(owner, name));
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
}

function guard(permission: string, owner: object, name: string, rejects: boolean): void {
  if (!(name in owner)) return;
  replaceIn(owner, name, (real) =>
    new Proxy(real, {
      apply(target, self, args) {
        if (!givenUp.has(permission)) return Reflect.apply(target, self, args);
        if (rejects) return Promise.reject(refusal(permission));
        throw refusal(permission);
      },
      construct(target, args) {
        if (givenUp.has(permission)) throw refusal(permission);
        return Reflect.construct(target, args);
      },
    }));
}

function guardPermissions(): void {
  for (const [permission, names] of Object.entries(NEEDING)) {
    for (const name of names) {
      guard(permission, Deno, name, true);
      guard(permission, Deno, `${name}Sync`, false);
    }
  }
  for (const [permission, owner, name] of THROWING) guard(permission, owner, name, false);
  guard("net", globalThis, "fetch", true);
  replaceIn(globalThis, "Worker", (Real: typeof Worker) =>
    new Proxy(Real, {
      construct(target, args) {
        const wanted: object = args[1]?.deno?.permissions ?? {};
        for (const [permission, what] of Object.entries(wanted)) {
          const isWanted = Array.isArray(what) ? what.length > 0 : what !== false;
          if (isWanted && givenUp.has(permission)) throw refusal(permission);
        }
        return Reflect.construct(target, args);
      },
    }));
  const { permissions } = Deno;
  const query = permissions.querySync.bind(permissions);
  const stateOf = (wanted: Deno.PermissionDescriptor): Deno.PermissionStatus =>
    givenUp.has(wanted.name) ? { state: "prompt" } as Deno.PermissionStatus : query(wanted);
  replaceIn(permissions, "querySync", () => stateOf);
  replaceIn(
    permissions,
    "query",
    () => (wanted: Deno.PermissionDescriptor) => Promise.resolve(stateOf(wanted)),
  );
  replaceIn(permissions, "revoke", () => (wanted: Deno.PermissionDescriptor) => {
    givenUp.add(wanted.name);
    return Promise.resolve(stateOf(wanted));
  });
}

/** Permissions that serve the runs of other tests, too: any port, any folder of tests. */
function shared({ net, read, write, priority }: ThreadPermissions): ThreadPermissions {
  const folders = (
    paths: readonly string[],
  ) => [...new Set(paths.map((path) => path.startsWith(`${FOLDER}/`) ? FOLDER : path))];
  return {
    net: [...new Set(net.map((host) => host.replace(/:\d+$/, "")))].sort(),
    read: folders(read),
    write: folders(write),
    priority,
  };
}

/** Threads that are taken for what they share with others. */
function sharedThreads(): KeptThreads {
  const kept = new KeptThreads();
  const { take } = kept;
  const shares: ThreadStarter = (url, permissions, onDeath) =>
    take(url, shared(permissions), onDeath);
  return Object.assign(kept, { take: shares });
}

/** The thread of results of one run after another. */
class Results {
  #client: ResultsClient | undefined;
  #isFinished = true;

  /** Gives it to a run that begins. */
  get(): ResultsClient {
    const client = this.#client?.isAlive === true ? this.#client : this.#start();
    this.#client = client;
    this.#isFinished = false;
    return client;
  }

  #start(): ResultsClient {
    const hooks = { onWarning: () => {}, onWriting: () => {} };
    const client = new ResultsClient(FOLDER, undefined, hooks);
    const finish = client.finish.bind(client);
    client.finish = async (orders) => {
      const written = await finish(orders);
      this.#isFinished = true;
      return written;
    };
    return client;
  }

  /** One that a run has not done with keeps something of it. */
  endUnfinished(): void {
    if (this.#isFinished) return;
    this.#client?.close();
    this.#client = undefined;
    this.#isFinished = true;
  }
}

const results = new Results();
const warm: WarmThreads = {
  threads: sharedThreads(),
  get results() {
    return results.get();
  },
};
const writeAnswer = Deno.stdout.writeSync.bind(Deno.stdout);

/** Takes what is written to a stream. */
function taken(stream: typeof Deno.stdout): { text: string } {
  const decoder = new TextDecoder();
  const all = { text: "" };
  stream.isTerminal = () => false;
  stream.writeSync = (bytes) => {
    all.text += decoder.decode(bytes, { stream: true });
    return bytes.length;
  };
  return all;
}

async function answer({ args, env, cwd }: ResidentOrder): Promise<ResidentAnswer> {
  const own = Object.keys(env).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
  Deno.chdir(cwd ?? HOME);
  const stdout = taken(Deno.stdout);
  const stderr = taken(Deno.stderr);
  // Not every file of tests asks for something.
  const { runProgram } = await import("../../src/cli/program.ts");
  const code = await runProgram(args, warm);
  givenUp.clear();
  results.endUnfinished();
  // The folder may be removed.
  Deno.chdir(HOME);
  for (const [name, value] of own) {
    if (value === undefined) Deno.env.delete(name);
    else Deno.env.set(name, value);
  }
  return { code, stdout: stdout.text, stderr: stderr.text };
}

function say(answer: ResidentAnswer): void {
  const bytes = new TextEncoder().encode(`${JSON.stringify(answer)}\n`);
  for (let written = 0; written < bytes.length;) written += writeAnswer(bytes.subarray(written));
}

guardPermissions();
let text = "";
for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  text += piece;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
    const order: ResidentOrder = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    say(await answer(order));
  }
}
Deno.exit(0);
