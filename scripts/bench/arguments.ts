/** What the command line asks for. */
export interface BenchArguments {
  /** Folder with the peers; undefined to measure the product alone. */
  readonly peersFolder: string | undefined;
  /** Names of the cases to run; undefined for all. */
  readonly only: readonly string[] | undefined;
  /** The executable to measure in the place of the sources. */
  readonly binary: string | undefined;
  readonly rounds: number;
  /** So long each run waits for other processes to leave the machine alone. */
  readonly patienceSeconds: number;
  readonly help: boolean;
}

const DEFAULT_ROUNDS = 3;

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
    if (!["--peers", "--only", "--binary", "--repeat", "--patience"].includes(name)) {
      throw new TypeError(`Unknown argument: ${args[i]}`);
    }
    const value = inline ?? args[++i];
    if (value === undefined) throw new TypeError(`${name} needs a value`);
    values.set(name, value);
  }
  const number = (name: string, fallback: number, min: number): number => {
    const value = Number(values.get(name) ?? fallback);
    if (Number.isInteger(value) && value >= min) return value;
    throw new TypeError(
      `${name} must be a whole number of at least ${min}: got ${values.get(name)}`,
    );
  };
  return {
    peersFolder: absolute(values.get("--peers")),
    only: values.get("--only")?.split(",").map((name) => name.trim()),
    binary: absolute(values.get("--binary")),
    rounds: number("--repeat", DEFAULT_ROUNDS, 1),
    patienceSeconds: number("--patience", 0, 0),
    help,
  };
}

function splitOnce(argument: string): [name: string, value: string | undefined] {
  const equals = argument.indexOf("=");
  if (equals < 0) return [argument, undefined];
  return [argument.slice(0, equals), argument.slice(equals + 1)];
}

function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : Deno.realPathSync(path);
}
