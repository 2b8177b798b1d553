/**
 * Attempts of a thread at what it must not do: see `confinement_probe.ts`. Each attempt is
 * written `kind=argument`.
 */

/** Outcome of an attempt. */
export interface AttemptOutcome {
  readonly attempt: string;
  /**
   * `done`: it worked. `refused`: the runtime did not permit it. `failed`: it was permitted, or
   * does not exist, and did not work.
   */
  readonly outcome: "done" | "refused" | "failed";
  readonly reason: string;
}

/** Maximum duration of an attempt. */
const TIMEOUT_MS = 5000;

const KINDS: Readonly<Record<string, (argument: string) => Promise<unknown>>> = {
  /** `host:port` */
  "connect": async (address) => (await Deno.connect(hostAndPort(address))).close(),
  /** `host:port` */
  "tls": async (address) => (await Deno.connectTls(hostAndPort(address))).close(),
  /** Address to listen at, `host:port`. */
  "listen": (address) => Promise.resolve(Deno.listen(hostAndPort(address)).close()),
  /** Path of a socket. */
  "unix": async (path) =>
    (await Deno.connect({ transport: "unix", path } as unknown as Deno.ConnectOptions)).close(),
  /** URL; redirects are followed. */
  "fetch": async (url) => {
    const reply = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await reply.body?.cancel();
  },
  /** URL of a WebSocket. */
  "websocket": (url) =>
    new Promise<void>((resolve, reject) => {
      const socket = new WebSocket(url);
      socket.onopen = () => (socket.close(), resolve());
      socket.onerror = (event) => reject(new Error((event as ErrorEvent).message));
    }),
  /** Name to look up in the way of `resolve_origin.ts`. */
  "lookup": async (name) => await (await import("node:dns/promises")).lookup(name),
  /** Name to ask the system's name servers for. */
  "resolve": async (name) => await Deno.resolveDns(name, "A"),
  /** `name@address:port`: a name to ask a name server of one's own choice for. */
  "resolve-at": async (text) => {
    const [name, server] = text.split("@") as [string, string];
    const { hostname: ipAddr, port } = hostAndPort(server);
    await Deno.resolveDns(name, "A", { nameServer: { ipAddr, port } });
  },
  /** Path of a file. */
  "read": async (path) => await Deno.readFile(path),
  /** Path of a folder. */
  "list": async (path) => {
    for await (const _ of Deno.readDir(path)) break;
  },
  /** Path of a file that is made, and removed again. */
  "write": async (path) => {
    await Deno.writeTextFile(path, "written by the confinement probe\n");
    await Deno.remove(path);
  },
  /** Path of a folder. */
  "mkdir": async (path) => await Deno.mkdir(path),
  /** Path of a file. */
  "remove": async (path) => await Deno.remove(path),
  /** `target@link` */
  "symlink": async (text) => {
    const [target, link] = text.split("@") as [string, string];
    await Deno.symlink(target, link);
  },
  /** Program to start. */
  "run": async (program) => {
    await new Deno.Command(program, { stdin: "null", stdout: "null", stderr: "null" }).output();
  },
  /** Process to send a harmless signal to. */
  "signal": (pid) => Promise.resolve(Deno.kill(Number(pid), "SIGCONT")),
  /** Path of a library to load. */
  "library": (path) => Promise.resolve(Deno.dlopen(path, {}).close()),
  /** Variable of the environment. */
  "variable": (name) => {
    const value = Deno.env.get(name);
    return value === undefined
      ? Promise.reject(new Deno.errors.NotCapable(`${name} reads as if it were not set`))
      : Promise.resolve();
  },
  /** Whether any variable at all is listed; the argument says of what kind. */
  "variables": (beginning) => {
    const names = Object.keys(Deno.env.toObject()).filter((name) => name.startsWith(beginning));
    return names.length === 0
      ? Promise.reject(new Deno.errors.NotCapable("None is listed"))
      : Promise.resolve();
  },
  /** URL of a module. */
  "import": async (url) => await import(url),
  /** Host name, or another fact about the machine: the argument names the function. */
  "system": (name) => {
    const ask = (Deno as unknown as Record<string, () => unknown>)[name] as () => unknown;
    return Promise.resolve(ask());
  },
};

/** Kinds of attempts. */
export const ATTEMPT_KINDS: readonly string[] = Object.keys(KINDS);

/**
 * Makes attempts, one after another.
 * @throws {RangeError} if there is no such kind
 */
export async function makeAttempts(attempts: readonly string[]): Promise<AttemptOutcome[]> {
  const outcomes: AttemptOutcome[] = [];
  for (const attempt of attempts) {
    const equals = attempt.indexOf("=");
    const kind = KINDS[attempt.slice(0, Math.max(0, equals))];
    if (kind === undefined) throw new RangeError(`There is no such attempt: "${attempt}"`);
    outcomes.push({ attempt, ...await outcomeOf(() => kind(attempt.slice(equals + 1))) });
  }
  return outcomes;
}

async function outcomeOf(
  attempt: () => Promise<unknown>,
): Promise<Pick<AttemptOutcome, "outcome" | "reason">> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("It took too long")), TIMEOUT_MS);
  });
  try {
    await Promise.race([(async () => await attempt())(), timeout]);
    return { outcome: "done", reason: "" };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const refused = error instanceof Deno.errors.NotCapable ||
      /requires \w+ access|\bEPERM\b/i.test(reason);
    return { outcome: refused ? "refused" : "failed", reason };
  } finally {
    clearTimeout(timer);
  }
}

function hostAndPort(text: string): { hostname: string; port: number } {
  const colon = text.lastIndexOf(":");
  const hostname = text.slice(0, colon).replace(/^\[|\]$/g, "");
  return { hostname, port: Number(text.slice(colon + 1)) };
}
