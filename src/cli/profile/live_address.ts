import { isHostName } from "../../config/options/host_name.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { freePortAt } from "../../run/runner/free_port.ts";
import type { LiveAddress } from "../../run/runner/live_client.ts";
import { liveHost } from "../../run/runner/live_client.ts";

const LOOPBACK = "127.0.0.1";
/** Random bytes of a token that the run makes up. */
const TOKEN_BYTES = 24;
/** Shorter ones can be guessed. */
const MIN_TOKEN_LENGTH = 16;
const MAX_PORT = 65535;

/** Options about where a run is served while it goes on. */
export interface LiveOptions {
  readonly live: string | undefined;
  readonly liveToken: string | undefined;
  readonly apiPort: number | undefined;
  readonly apiHost: string | undefined;
}

/** The place where a run is served, and who made up its token. */
export interface LivePlace extends LiveAddress {
  /** Whether the user did: it is a secret then that is not shown. */
  readonly isTokenGiven: boolean;
}

/**
 * Where the run is to be served; undefined for nowhere.
 * @throws {UsageError} if that is no address, or the token can be guessed
 */
export function liveAddress(options: LiveOptions): LivePlace | undefined {
  const { live, liveToken, apiPort, apiHost } = options;
  const place = live !== undefined
    ? parsed(live)
    : apiPort !== undefined
    ? { hostname: apiHost ?? LOOPBACK, port: apiPort }
    : undefined;
  if (place === undefined) {
    if (liveToken !== undefined) throw new UsageError("--live-token", "Needs --live");
    return undefined;
  }
  const { hostname } = place;
  if (!isHostName(hostname)) {
    throw new UsageError(
      live === undefined ? "--api-host" : "--live",
      `The host "${hostname}" is no host name: use letters, digits, ".", "-" and "_"`,
    );
  }
  return {
    hostname,
    port: place.port === 0 ? listeningPort(hostname) : place.port,
    token: liveToken === undefined ? randomToken() : checked(liveToken),
    isTokenGiven: liveToken !== undefined,
  };
}

/** Whether others than this machine can reach an address. */
export function isReachableFromOutside({ hostname }: LiveAddress): boolean {
  return !/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(hostname);
}

/**
 * What a browser is given to open. Of a machine with many addresses, one of its own is named. A token
 * that the user has set is not shown.
 */
export function liveUrl(address: LivePlace): string {
  const hostname = /^(0\.0\.0\.0|::)$/.test(address.hostname) ? "localhost" : address.hostname;
  const page = `http://${liveHost({ ...address, hostname })}/`;
  return address.isTokenGiven
    ? `${page}?token=... (the token that you set)`
    : `${page}?token=${address.token}`;
}

/** `9400`, `0.0.0.0:9400`, `[::1]:9400`. */
function parsed(text: string): { hostname: string; port: number } {
  const match = /^(?:(\[[0-9A-Fa-f:.]+\]|[^\s:/@]+):)?(\d{1,5})$/.exec(text.trim());
  const port = Number(match?.[2]);
  if (match === null || port > MAX_PORT) {
    throw new UsageError("--live", `Must be a port, or host:port: got ${JSON.stringify(text)}`);
  }
  return { hostname: (match[1] ?? LOOPBACK).replace(/^\[|\]$/g, ""), port };
}

function checked(token: string): string {
  if (!/^[A-Za-z0-9._~-]+$/.test(token) || token.length < MIN_TOKEN_LENGTH) {
    throw new UsageError(
      "--live-token",
      `Must have at least ${MIN_TOKEN_LENGTH} characters, only letters, digits and ._~-`,
    );
  }
  return token;
}

function randomToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
}

/** The permission of a thread names a port, so it must be known before. */
function listeningPort(hostname: string): number {
  try {
    return freePortAt(hostname);
  } catch (error) {
    throw new UsageError("--live", `Cannot listen at ${hostname}: ${(error as Error).message}`);
  }
}
