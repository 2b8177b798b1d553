import type { RunSelection } from "./bench_case.ts";

/** What the command line asks for. */
export interface BenchArguments {
  /** Folder with the peers; undefined to measure the product alone. */
  readonly peersFolder: string | undefined;
  /** Folder of another version of the sources, measured beside this one. */
  readonly beforeFolder: string | undefined;
  /** Names of the cases to run; undefined for all. */
  readonly only: readonly string[] | undefined;
  /** The executable to measure in the place of the sources. */
  readonly binary: string | undefined;
  readonly rounds: number;
  /** So long each run waits for other processes to leave the machine alone. */
  readonly patienceSeconds: number;
  readonly selection: RunSelection;
  readonly help: boolean;
}

const DEFAULT_ROUNDS = 3;
const NAMES = [
  ...[
    "--peers",
    "--before",
    "--only",
    "--binary",
    "--repeat",
    "--patience",
    "--filter",
    "--part",
    "--results",
  ],
  "--keep",
];

/**
 * Reads the command line.
 * @throws {TypeError} if it cannot be understood
 */
export function parseArguments(args: readonly string[]): BenchArguments {
  const values = new Map<string, string>();
  let help = false;
  for (let i = 0; i < args.length; i++) {
    const [name, inline] = splitOnce(args[i] as string);
    if (name === "--help" || name === "-h") {
      help = true;
      continue;
    }
    if (!NAMES.includes(name)) {
      throw new TypeError(`Unknown argument: ${args[i]}`);
    }
    const value = inline ?? args[++i];
    if (value === undefined) throw new TypeError(`${name} needs a value`);
    values.set(name, value);
  }
  const number = (name: string, usual: number, min: number): number => {
    const value = Number(values.get(name) ?? usual);
    if (Number.isInteger(value) && value >= min) return value;
    throw new TypeError(
      `${name} must be a whole number of at least ${min}: got ${values.get(name)}`,
    );
  };
  return {
    peersFolder: absolute(values.get("--peers")),
    beforeFolder: absolute(values.get("--before")),
    only: values.get("--only")?.split(",").map((name) => name.trim()),
    binary: absolute(values.get("--binary")),
    rounds: number("--repeat", DEFAULT_ROUNDS, 1),
    patienceSeconds: number("--patience", 0, 0),
    selection: {
      filter: pattern(values.get("--filter") ?? ""),
      ...partOf(values.get("--part") ?? "1/1"),
      resultsFolder: values.get("--results"),
      keepFolder: values.get("--keep"),
    },
    help,
  };
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new TypeError(`--filter must be a regular expression: got ${text}`);
  }
}

function partOf(text: string): { part: number; parts: number } {
  const [part = NaN, parts = NaN] = /^(\d+)\/(\d+)$/.exec(text)?.slice(1).map(Number) ?? [];
  if (part >= 1 && part <= parts) return { part, parts };
  throw new TypeError(`--part must be as 2/5: got ${text}`);
}

function splitOnce(argument: string): [name: string, value: string | undefined] {
  const equals = argument.indexOf("=");
  if (equals < 0) return [argument, undefined];
  return [argument.slice(0, equals), argument.slice(equals + 1)];
}

function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : Deno.realPathSync(path);
}
