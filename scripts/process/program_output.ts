/** What a program was to do, and how it ended instead. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
}

/** Settings of {@linkcode programOutput}. */
export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it sees those variables alone. @default false */
  readonly clearEnv?: boolean;
  /** Time after which it is ended. */
  readonly timeoutMs?: number;
}

/** Length up to which a command line and what a program said are quoted. */
const QUOTED_COMMAND = 200;
const QUOTED_OUTPUT = 1500;

/**
 * Runs a program and returns what it prints.
 * @throws {ProgramError} with what it says if it fails
 * @throws {Deno.errors.NotFound} if there is none
 */
export async function programOutput(
  program: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<string> {
  const { timeoutMs, env, ...others } = options;
  const { success, code, stdout, stderr } = await new Deno.Command(program, {
    ...others,
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
    args: [...args],
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  const command = [program, ...args].join(" ").slice(0, QUOTED_COMMAND);
  const said = `${decoder.decode(stdout)}${decoder.decode(stderr)}`.trim().slice(-QUOTED_OUTPUT);
  throw new ProgramError(`${command}: exit code ${code}: ${said}`);
}
