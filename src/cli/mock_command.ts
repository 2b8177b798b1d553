import type { Command } from "commander";
import { latencyDistribution } from "../mock/latency_distribution.ts";
import {
  defaultMockOptions,
  FAULT_KINDS,
  type FaultKind,
  MAX_OUTPUT_TOKENS,
} from "../mock/mock_options.ts";
import { MockServer } from "../mock/mock_server.ts";
import { UsageError } from "../options/usage_error.ts";
import { EXIT_CODE } from "./exit_code.ts";
import { MOCK_OPTION_SPECS } from "../options/mock_options.ts";
import { kebab } from "../options/option.ts";
import { optionValues } from "../options/option_values.ts";
import { parseNumber } from "../options/parse_value.ts";
import { catchSignals } from "./signals.ts";
import { writeOut } from "./terminal.ts";

/**
 * Runs `inferometer mock` until a signal ends it.
 * @returns the exit code
 */
export async function mockCommand(command: Command): Promise<number> {
  const values = await optionValues(command, MOCK_OPTION_SPECS);
  const defaults = defaultMockOptions();
  const number = (name: string, fallback: number, min: number, max = Infinity): number => {
    const value = values[name];
    if (value === undefined) return fallback;
    if (typeof value !== "number" || !Number.isInteger(value) || value < min) {
      throw new UsageError(
        `--${kebab(name)}`,
        `Must be a whole number of at least ${min}: got ${value}`,
      );
    }
    if (value > max) {
      throw new UsageError(`--${kebab(name)}`, `Must be at most ${max}: got ${value}`);
    }
    return value;
  };
  const latency = (name: string) => {
    try {
      return latencyDistribution(String(values[name] ?? "0"));
    } catch (error) {
      throw new UsageError(`--${name}`, (error as Error).message);
    }
  };
  const server = await start({
    ...defaults,
    port: number("port", 0, 0, 65_535),
    model: String(values["mockModel"] ?? defaults.model),
    ttft: latency("ttft"),
    itl: latency("itl"),
    tokens: number("tokens", defaults.tokens, 1, MAX_OUTPUT_TOKENS),
    tokensPerChunk: number("tokensPerChunk", 1, 1),
    reasoningTokens: number("reasoningTokens", 0, 0),
    slots: number("slots", Infinity, 1),
    seed: number("seed", 0, 0),
    faults: faultRates(values["faults"]),
  });
  const signals = catchSignals();
  writeOut(`listening on ${server.url}\n`);
  await new Promise<void>((resolve) => signals.signal.addEventListener("abort", () => resolve()));
  server.close();
  return EXIT_CODE.done;
}

async function start(options: Parameters<typeof MockServer.start>[0]): Promise<MockServer> {
  try {
    return await MockServer.start(options);
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) {
      throw new UsageError(
        "--port",
        `${options.port} is in use: take another, or 0 for a free one`,
      );
    }
    throw error;
  }
}

function faultRates(values: unknown): Map<FaultKind, number> {
  const rates = new Map<FaultKind, number>();
  for (const text of Array.isArray(values) ? values as string[] : []) {
    const colon = text.lastIndexOf(":");
    const kind = FAULT_KINDS.find((known) => known === text.slice(0, colon));
    const rate = parseNumber(text.slice(colon + 1));
    if (kind === undefined || rate === undefined || rate < 0 || rate > 1) {
      throw new UsageError(
        "--faults",
        `Expected one of ${FAULT_KINDS.join(", ")} with a share from 0 to 1, got "${text}"`,
      );
    }
    rates.set(kind, rate);
  }
  const total = [...rates.values()].reduce((sum, rate) => sum + rate, 0);
  // A share like 0.1 is not exact.
  if (total > 1 + 1e-9) {
    throw new UsageError("--faults", `The shares must add up to 1 at most, got ${total}`);
  }
  return rates;
}
