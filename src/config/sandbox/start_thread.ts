import { fileURLToPath } from "node:url";
import { type ThreadPermissions, workerOptions } from "./permissions.ts";

/** A permission that this process would need in order to grant it to a thread. */
export class MissingPermissionError extends Error {
  override readonly name = "MissingPermissionError";
}

/** A thread of the run. */
export interface Thread {
  readonly worker: Worker;
  /** Resolves once the thread runs its code. */
  readonly ready: Promise<void>;
  /** Called with the reason if it ends by an error that it did not catch. */
  onDeath: (reason: string) => void;
}

/** Starts a thread, as {@linkcode startThread} does. */
export type ThreadStarter = (
  url: URL,
  permissions: ThreadPermissions,
  onDeath: (reason: string) => void,
) => Thread;

/**
 * Starts a thread with permissions of its own. Its code must post `{ type: "ready" }` first of all.
 * @param onDeath called with the reason if it ends by an error that it did not catch
 * @throws {MissingPermissionError} if this process does not have what the thread is to get
 */
export function startThread(
  url: URL,
  permissions: ThreadPermissions,
  onDeath: (reason: string) => void,
): Thread {
  checkCode(url);
  let worker: Worker;
  try {
    worker = new Worker(url, workerOptions(withoutUngrantedLuxury(permissions)));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new MissingPermissionError(missing(error.message, permissions));
  }
  let die = (_reason: Error): void => {};
  const ready = new Promise<void>((resolve, reject) => {
    die = reject;
    worker.addEventListener("message", () => resolve(), { once: true });
  });
  // A caller that waits for it sees the failure; without one it is no unhandled rejection.
  ready.catch(() => {});
  const thread: Thread = { worker, ready, onDeath };
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    const reason = event.message.split("\n")[0] as string;
    die(new Error(reason));
    thread.onDeath(reason);
  });
  return thread;
}

/**
 * Checks that this thread may read the code of another thread: a missing permission would end that
 * thread before it can report an error.
 * @throws {MissingPermissionError} if the code may not be read
 */
function checkCode(url: URL): void {
  if (url.protocol !== "file:") return;
  const files = [url, new URL("../../../deno.json", url)];
  if (files.every((path) => isGranted({ name: "read", path }))) return;
  const root = fileURLToPath(new URL("../../../", url));
  throw new MissingPermissionError(
    `The runtime does not grant reading the program's own code: add ` +
      `--allow-read=${root}src,${root}deno.json`,
  );
}

/** A thread's priority is nothing that a run needs. */
function withoutUngrantedLuxury(permissions: ThreadPermissions): ThreadPermissions {
  const priority = permissions.priority &&
    isGranted({ name: "sys", kind: "setPriority" });
  return { ...permissions, priority };
}

function isGranted(permission: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}

function missing(message: string, { net, read, write }: ThreadPermissions): string {
  const flags = [
    ...(net.length > 0 ? [`--allow-net=${net.join(",")}`] : []),
    ...(read.length > 0 ? [`--allow-read=${read.join(",")}`] : []),
    ...(write.length > 0 ? [`--allow-write=${write.join(",")}`] : []),
  ];
  return `The runtime does not grant what a thread of this run needs (${message}): add ${
    flags.join(" ")
  }`;
}
