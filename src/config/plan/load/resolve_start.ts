import { readFile, ReadFileError, utf8Text } from "../../../core/files/read_file.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { parseDuration } from "../../options/parse_value.ts";
import { isHostName } from "../../options/host_name.ts";
import { UsageError } from "../../options/usage_error.ts";
import type { Shard } from "../../shard/shard.ts";
import type { StartPlan } from "../start_plan.ts";

/** Shorter tokens can be guessed. */
const MIN_TOKEN_LENGTH = 16;
const MAX_TOKEN_BYTES = 10_000;
const MAX_PORT = 65535;

/**
 * Returns when the run begins, and with which shards; undefined for a single process that begins at
 * once. Reads the file of the token.
 * @throws {UsageError} if the options do not allow that
 */
export async function resolveStart(
  settings: ProfileSettings,
  shard: Shard | undefined,
  nowMs: number = Date.now(),
): Promise<StartPlan | undefined> {
  const { rendezvous, barrier, startAt, collect } = settings;
  const maxLateNs = settings.maxLate * 1e9;
  const timeoutNs = settings.rendezvousTimeout * 1e9;
  if (startAt !== undefined) return { by: "time", epochMs: startTime(startAt, nowMs), maxLateNs };
  if (shard === undefined) return undefined;
  if (barrier !== undefined) return { by: "barrier", directory: barrier, timeoutNs, maxLateNs };
  if (rendezvous === undefined) return undefined;
  const { hostname, port } = barrierPlace(rendezvous);
  const token = await tokenOf(settings);
  return { by: "rendezvous", hostname, port, token, timeoutNs, collects: collect, maxLateNs };
}

/** `node1:29400`, `10.0.0.1:29400`, `[fd00::1]:29400`. */
function barrierPlace(text: string): { readonly hostname: string; readonly port: number } {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(text.trim());
  const port = Number(match?.[2] ?? 0);
  const hostname = (match?.[1] ?? "").replace(/^\[|\]$/g, "");
  if (port < 1 || port > MAX_PORT || !isHostName(hostname)) {
    throw new UsageError(
      "--rendezvous",
      `Must be host:port, the host of shard 0 as the others know it: got ${JSON.stringify(text)}`,
    );
  }
  return { hostname, port };
}

async function tokenOf(
  { rendezvousToken, rendezvousTokenFile }: ProfileSettings,
): Promise<string> {
  const [option, token] = rendezvousTokenFile === undefined
    ? ["--rendezvous-token", rendezvousToken]
    : ["--rendezvous-token-file", await tokenInFile(rendezvousTokenFile)];
  if (token === undefined) {
    throw new UsageError(
      "--rendezvous",
      "Needs a token that all shards share: name a file with --rendezvous-token-file, or set " +
        "INFEROMETER_RENDEZVOUS_TOKEN (openssl rand -hex 32 makes one)",
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token) || token.length < MIN_TOKEN_LENGTH) {
    throw new UsageError(
      option,
      `The token must have at least ${MIN_TOKEN_LENGTH} visible ASCII characters and no spaces`,
    );
  }
  return token;
}

async function tokenInFile(path: string): Promise<string> {
  try {
    return utf8Text(await readFile(path, { maxBytes: MAX_TOKEN_BYTES, pipes: true })).trim();
  } catch (error) {
    if (!(error instanceof ReadFileError)) throw error;
    throw new UsageError("--rendezvous-token-file", `${path}: ${error.message}`);
  }
}

/** Milliseconds since 1970. */
function startTime(text: string, nowMs: number): number {
  const given = text.trim();
  const fromNow = given.startsWith("+") ? parseDuration(given.slice(1)) : undefined;
  if (fromNow !== undefined && fromNow >= 0 && Number.isFinite(fromNow)) {
    return nowMs + fromNow * 1e3;
  }
  if (/^\d{1,12}(\.\d{1,9})?s?$/.test(given)) return Number.parseFloat(given) * 1e3;
  const epochMs = isoTime(given);
  if (epochMs !== undefined) return epochMs;
  throw new UsageError(
    "--start-at",
    "Must be a time with its zone, as 2026-11-22T10:00:00Z, seconds since 1970, or +seconds: " +
      `got ${JSON.stringify(text)}`,
  );
}

/**
 * Returns milliseconds since 1970 for an ISO 8601 time with zone; undefined if the text is not such
 * a time.
 */
function isoTime(text: string): number | undefined {
  const [, day, time, sign, hours, minutes = "00"] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/i
      .exec(text) ?? [];
  if (day === undefined || time === undefined) return undefined;
  const zone = sign === undefined ? "Z" : `${sign}${hours}:${minutes}`;
  const epochMs = Date.parse(`${day}T${time}${zone}`);
  // What months do not have, Date.parse counts on into the next one.
  const isDay = new Date(Date.parse(`${day}T00:00Z`)).toJSON()?.startsWith(day) === true;
  return isDay && !Number.isNaN(epochMs) ? epochMs : undefined;
}
