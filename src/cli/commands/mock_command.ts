import type { Command } from "npm:commander@15.1.0";
import { type LatencyDistribution, latencyDistribution } from "../../mock/latency_distribution.ts";
import {
  type Corruption,
  CORRUPTION_KINDS,
  defaultMockOptions,
  FAULT_KINDS,
  type FaultKind,
  type MockOptions,
} from "../../mock/mock_options.ts";
import { MockServer } from "../../mock/mock_server.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { readCertificate } from "../../config/plan/servers/trust.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { MOCK_OPTIONS } from "../../config/options/commands/mock_options.ts";
import { flagOf } from "../../config/options/option.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { parseNumber } from "../../config/options/parse_value.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import type { GivenOptions } from "../../config/options/settings.ts";
import { catchSignals } from "../terminal/signals.ts";
import { writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer mock` until a signal ends it.
 * @returns the exit code
 */
export async function mockCommand(command: Command): Promise<number> {
  const server = await start(await mockOptionsOf(await optionValues(command, MOCK_OPTIONS)));
  const signals = catchSignals();
  await server.rehearse();
  writeOut(`listening on ${server.url}\n`);
  await new Promise<void>((resolve) => signals.signal.addEventListener("abort", () => resolve()));
  server.close();
  writeOut(latenessLine(server.lateness));
  return EXIT_CODE.done;
}

/**
 * Settings of the server that options of the command ask for.
 * @throws {UsageError} if they cannot be used
 */
export async function mockOptionsOf(
  given: GivenOptions<typeof MOCK_OPTIONS>,
): Promise<MockOptions> {
  const settings = resolveOptions(MOCK_OPTIONS, given);
  const latency = (name: "ttft" | "itl"): LatencyDistribution => {
    try {
      return latencyDistribution(settings[name]);
    } catch (error) {
      throw new UsageError(flagOf(name), (error as Error).message);
    }
  };
  const { mockModel, faults = [], corruptAbove = [], tlsCert, tlsKey, ...others } = settings;
  if (others.toolCalls > 1 && !Number.isInteger(others.toolCalls)) {
    throw new UsageError(
      flagOf("toolCalls"),
      `Expected a whole number, or a fraction below 1, got ${others.toolCalls}`,
    );
  }
  const flags = { cert: flagOf("tlsCert"), key: flagOf("tlsKey") };
  return {
    ...defaultMockOptions(),
    ...others,
    model: mockModel,
    ttft: latency("ttft"),
    itl: latency("itl"),
    faults: faultRates(faults),
    corruptions: corruptAbove.map(corruptionOf),
    certificate: await readCertificate(tlsCert, tlsKey, flags),
  };
}

/** How exact its times were; empty if nothing had a time. */
function latenessLine({ count, p50, p99, max }: MockServer["lateness"]): string {
  if (count === 0) return "";
  const [middle, high, most] = [p50, p99, max].map((ms) => ms.toFixed(2));
  return `${count} chunks written, late by p50 ${middle} p99 ${high} max ${most} ms\n`;
}

async function start(options: MockOptions): Promise<MockServer> {
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

/** @throws {UsageError} if a text is not `N:KIND` or `N:KIND:SHARE` */
function corruptionOf(text: string): Corruption {
  const [above = "", name, shareText = "1", ...rest] = text.split(":");
  const kind = CORRUPTION_KINDS.find((known) => known === name);
  const share = parseNumber(shareText);
  const isShare = share !== undefined && share >= 0 && share <= 1;
  if (!/^\d+$/.test(above) || kind === undefined || !isShare || rest.length > 0) {
    throw new UsageError(
      "--corrupt-above",
      `Expected N:KIND or N:KIND:SHARE, KIND one of ${CORRUPTION_KINDS.join(", ")}, got "${text}"`,
    );
  }
  return { above: Number(above), kind, share };
}

function faultRates(texts: readonly string[]): Map<FaultKind, number> {
  const rates = new Map<FaultKind, number>();
  for (const text of texts) {
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
