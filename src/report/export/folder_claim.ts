/**
 * File by which a run claims a folder exclusively while it is in progress. The claim is a lock on
 * the file, which ends with the process, however that ends. Another file reserves disk space: once
 * it is released, the smallest summary fits however full the disk is.
 */

import { ExportError } from "./export_error.ts";

/**
 * Name of the claim file. One that a killed process left has no effect, except on a file system
 * without locks.
 */
export const CLAIM = ".inferometer-claim";
const ROOM = ".inferometer-room";
/**
 * Sizes of reserved space that are attempted, in bytes; a summary takes some 30 kB, the shortest
 * one less than the last.
 */
const RESERVES = [512, 128, 48, 24, 8].map((kilobytes) => kilobytes * 1024);
/**
 * Free space, as a multiple of the reserve, without which nothing is reserved: other files would
 * lack it.
 */
const SPARE = 2;
/** Maximum wait for a free lock, in milliseconds: a longer wait would be for the end of a run. */
const LOCK_PATIENCE_MS = 500;

/** Claims of this thread, by their folders. */
const held = new Map<string, Deno.FsFile>();

/**
 * Claims a folder, also one whose claim a killed run has left.
 * @returns false if it is another run's
 * @throws {ExportError} if nothing can be written there
 */
export async function claimFolder(directory: string): Promise<boolean> {
  const path = `${directory}/${CLAIM}`;
  try {
    const { file, isNew } = await openClaim(path);
    if (file === undefined) return false;
    const isLocked = await tryLock(file, true);
    const isOurs = (isLocked ?? isNew) && await isStillAt(path, file);
    if (isOurs && isLocked) held.set(directory, file);
    else file.close();
    return isOurs;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new ExportError(directory, error);
  }
}

/** Returns whether a folder is claimed by a run in progress. */
export async function isClaimed(directory: string): Promise<boolean> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(`${directory}/${CLAIM}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.NotADirectory) return false;
    if (error instanceof Deno.errors.PermissionDenied) return true;
    throw error;
  }
  try {
    return await tryLock(file, false) !== true;
  } finally {
    file.close();
  }
}

/**
 * Whether another run holds the claim of a folder, as its lock shows; not known, and false, on a file
 * system without locks.
 */
export async function isHeld(directory: string): Promise<boolean> {
  const file = await Deno.open(`${directory}/${CLAIM}`).catch(() => undefined);
  if (file === undefined) return false;
  try {
    return await tryLock(file, false) === false;
  } finally {
    file.close();
  }
}

/** Whether the name is that of a claim, or of the room that is kept with it. */
export function isClaim(name: string): boolean {
  return name === CLAIM || name === ROOM;
}

/** Keeps room in a claimed folder; none where the disk has little to spare. */
export async function reserveRoom(directory: string): Promise<void> {
  const path = `${directory}/${ROOM}`;
  for (const bytes of RESERVES) {
    await giveRoomBack(directory);
    try {
      // Never through a link that stands there.
      await Deno.writeFile(path, new Uint8Array(bytes * SPARE), { createNew: true });
      await Deno.truncate(path, bytes);
      return;
    } catch {
      // The next one is smaller.
    }
  }
  await giveRoomBack(directory);
}

/** Gives the room back that was kept. */
export async function giveRoomBack(directory: string): Promise<void> {
  await Deno.remove(`${directory}/${ROOM}`).catch(() => {});
}

/** Releases the claim: any process may use the folder's content now. */
export async function releaseFolder(directory: string): Promise<void> {
  await giveRoomBack(directory);
  await Deno.remove(`${directory}/${CLAIM}`).catch(() => {});
  unlockFolder(directory);
}

/** Ends the lock of this thread's claim, where another thread has given up the claim itself. */
export function unlockFolder(directory: string): void {
  held.get(directory)?.close();
  held.delete(directory);
}

/** Opens a claim, a new one if there is none; no file if it was given up in this moment. */
async function openClaim(
  path: string,
): Promise<{ readonly file: Deno.FsFile | undefined; readonly isNew: boolean }> {
  try {
    return { file: await Deno.open(path, { write: true, createNew: true }), isNew: true };
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  try {
    return { file: await Deno.open(path, { write: true }), isNew: false };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { file: undefined, isNew: false };
  }
}

/** The part of a file that runtimes before Deno 2.7 do not have. */
interface Lockable {
  tryLock?(exclusive: boolean): Promise<boolean>;
}

/** Locks a file unless another process has locked it; undefined if the file system has no locks. */
async function tryLock(file: Deno.FsFile, exclusive: boolean): Promise<boolean | undefined> {
  try {
    return await ((file as Lockable).tryLock?.(exclusive) ?? lockSoon(file, exclusive));
  } catch {
    return undefined;
  }
}

/** Locks a file if that takes no time; a wait for another's lock continues in the background. */
async function lockSoon(file: Deno.FsFile, exclusive: boolean): Promise<boolean> {
  const locked = file.lock(exclusive).then(() => true);
  locked.catch(() => {});
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), LOCK_PATIENCE_MS);
  });
  try {
    return await Promise.race([locked, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether an open file still has its name: it may have been removed before it was locked. */
async function isStillAt(path: string, file: Deno.FsFile): Promise<boolean> {
  const named = await Deno.stat(path).catch(() => undefined);
  const { ino, dev } = await file.stat();
  return named?.ino === ino && named?.dev === dev;
}
