/**
 * Permissions of each thread of a run. Workers are created with these and can never get more; the
 * runtime enforces it, redirects and lookups included. What is not listed is denied.
 */

import type { Origin } from "../../client/http/transport.ts";
import { listenAddress } from "../shard/listen_address.ts";
import type { Shard } from "../shard/shard.ts";

/** Permissions of a thread. */
export interface ThreadPermissions {
  /** `host:port` of each server that may be connected to. */
  readonly net: readonly string[];
  /** Folders whose files may be read. */
  readonly read: readonly string[];
  /** Folders whose files may be written. */
  readonly write: readonly string[];
  /** Whether it may lower its own priority, a right that it gives up at once. */
  readonly priority: boolean;
  /** Whether it begins with all that the thread has which starts it. @default false */
  readonly inherits?: boolean;
}

/** Name that the certificate of the canary thread proves. */
const CANARY_NAME = "127.0.0.1";

const NOTHING: ThreadPermissions = { net: [], read: [], write: [], priority: false };

/**
 * A load worker reaches the inference servers and, where there are canaries, their thread.
 * @param canaryHost `host:port` of that thread
 */
export function loadWorkerPermissions(
  targets: readonly { readonly origin: Origin }[],
  canaryHost?: string,
): ThreadPermissions {
  const net = new Set(targets.flatMap(({ origin }) => netOf(origin)));
  if (canaryHost !== undefined) {
    net.add(canaryHost);
    // See netOf.
    if (targets.some(({ origin }) => origin.protocol === "https:")) net.add(`${CANARY_NAME}:0`);
  }
  return { ...NOTHING, net: [...net] };
}

/** Returns the permissions of the canary thread, which listens on one port of this machine. */
export function canaryPermissions(host: string): ThreadPermissions {
  return { ...NOTHING, net: [host] };
}

/** Returns the permissions of the live thread, which listens on one address. */
export function livePermissions(host: string): ThreadPermissions {
  return { ...NOTHING, net: [host], priority: true };
}

/** Needs of the rendezvous thread: a place to meet at, or a folder. */
export type BarrierNeeds =
  | {
    readonly by: "rendezvous";
    readonly hostname: string;
    readonly port: number;
    /** Whether shard 0 gets the files of the others. */
    readonly collects: boolean;
  }
  | { readonly by: "barrier"; readonly directory: string };

/**
 * Returns the permissions of the rendezvous thread: it listens on one address in shard 0, and may
 * reach only that address in other shards. If files are collected, the thread of shard 0 writes the
 * folders of all shards, the others read their own.
 * @param directory the folder of this shard
 */
export function rendezvousPermissions(
  shard: Shard | undefined,
  needs: BarrierNeeds,
  directory: string,
): ThreadPermissions {
  if (needs.by === "barrier") {
    return { ...NOTHING, read: [needs.directory], write: [needs.directory] };
  }
  const { hostname, port } = needs;
  const address = shard?.index === 0 ? listenAddress(hostname) : hostname;
  const net = [`${bracketed(address)}:${port}`];
  if (!needs.collects) return { ...NOTHING, net };
  if (shard?.index !== 0) return { ...NOTHING, net, read: [directory] };
  const all = folderOf(directory);
  return { ...NOTHING, net, read: [all], write: [all] };
}

/** The scrape worker reaches the servers whose metrics are read. */
export function scrapeWorkerPermissions(origins: readonly Origin[]): ThreadPermissions {
  return { ...NOTHING, net: [...new Set(origins.flatMap(netOf))] };
}

/** The pacer keeps time. */
export function pacerPermissions(): ThreadPermissions {
  return NOTHING;
}

/**
 * The results worker writes into the artifact folder, and reads there to rename what it wrote.
 * @param recordingPath the file of the recording, if there is one
 */
export function resultsWorkerPermissions(
  directory: string,
  recordingPath?: string,
): ThreadPermissions {
  const write = recordingPath === undefined ? [directory] : [directory, recordingPath];
  return { ...NOTHING, read: [directory], write, priority: true };
}

/** The tokenizer thread counts tokens. */
export function tokenizerPermissions(): ThreadPermissions {
  return { ...NOTHING, priority: true };
}

/** The pattern thread tests replies against patterns. */
export function patternPermissions(): ThreadPermissions {
  return { ...NOTHING, priority: true };
}

/**
 * Returns the permissions of the input thread: it reads files, caches and hubs as main would, and
 * gives everything up before the load begins.
 */
export function inputPermissions(): ThreadPermissions {
  return { ...NOTHING, inherits: true };
}

/** A levels thread reads the folder of a run that is over. */
export function levelsPermissions(directory: string): ThreadPermissions {
  return { ...NOTHING, read: [directory] };
}

/** Needs of a thread that sends results to another system: a server and the run, or files. */
export type SystemNeeds =
  | { readonly origin: Origin; readonly directory: string }
  | { readonly files: readonly string[] };

/**
 * Returns the permissions of a thread for another system: it reaches only that system, and reads
 * the run's folder to send it.
 */
export function systemPermissions(needs: SystemNeeds): ThreadPermissions {
  if ("files" in needs) {
    return { ...NOTHING, read: needs.files, write: needs.files, priority: true };
  }
  return { ...NOTHING, net: netOf(needs.origin), read: [needs.directory], priority: true };
}

/** A server by its name and by the addresses that the name stood for. */
function netOf(origin: Origin): string[] {
  const hosts = [...new Set([origin.hostname, ...origin.addresses])].map((host) =>
    host.includes(":") ? `[${host}]` : host
  );
  const ports = hosts.map((host) => `${host}:${origin.port}`);
  // The runtime asks for the name a certificate must prove under port 0.
  return origin.protocol === "https:" ? [...ports, `${bracketed(origin.hostname)}:0`] : ports;
}

/** The folder in which a folder is. */
function folderOf(directory: string): string {
  return directory.replace(/\/[^/]*$/, "");
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Permissions in the form that the `Worker` constructor takes. */
export function workerOptions(permissions: ThreadPermissions): WorkerOptions {
  if (permissions.inherits) {
    return { type: "module", deno: { permissions: "inherit" } } as WorkerOptions;
  }
  return {
    type: "module",
    deno: {
      permissions: {
        net: [...permissions.net],
        read: [...permissions.read],
        write: [...permissions.write],
        env: false,
        run: false,
        ffi: false,
        sys: permissions.priority ? ["setPriority"] : false,
        import: false,
      },
    },
  } as WorkerOptions;
}

/** Permissions that are no longer needed once only files are read and written. */
const ALL_BUT_FILES = ["net", "run", "ffi", "sys", "env", "import"] as const;

/**
 * Gives up every permission of this thread, for good. Threads that exist keep theirs.
 */
export async function dropPermissions(): Promise<void> {
  for (const name of [...ALL_BUT_FILES, "read", "write"] as const) {
    await Deno.permissions.revoke({ name });
  }
}

/**
 * Gives up what starting another run of the same command does not need: connecting, files and the
 * machine's name stay, because threads get of them what they need.
 * @param keepEnv whether variables of the environment are still read
 */
export async function keepRunPermissions(keepEnv: boolean): Promise<void> {
  for (const name of ["run", "ffi", "import", ...(keepEnv ? [] : ["env" as const])] as const) {
    await Deno.permissions.revoke({ name });
  }
}

/** Gives up every permission of this thread but those for files. */
export async function keepFilePermissions(): Promise<void> {
  for (const name of ALL_BUT_FILES) await Deno.permissions.revoke({ name });
}
