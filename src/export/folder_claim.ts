/**
 * The file by which a folder is one run's alone while the run goes on. It also keeps room on the
 * disk: once that is given back, the smallest summary fits however full the disk is.
 */

import { ExportError } from "./export_error.ts";

const NAME = ".inferometer-claim";
/** The rooms that are tried; a summary takes some 30 kB. */
const RESERVES = [512, 128, 48, 24].map((kilobytes) => kilobytes * 1024);
/** Multiple of a reserve that must be free: on a fuller disk it would be missed more. */
const SPARE = 2;

/**
 * Claims a folder.
 * @returns false if it is another run's
 * @throws {ExportError} if nothing can be written there
 */
export async function claimFolder(directory: string): Promise<boolean> {
  try {
    (await Deno.open(pathOf(directory), { write: true, createNew: true })).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new ExportError(directory, error);
  }
}

/** Whether the name is that of a claim. */
export function isClaim(name: string): boolean {
  return name === NAME;
}

/** Keeps room in a claimed folder; none where the disk has little to spare. */
export async function reserveRoom(directory: string): Promise<void> {
  const path = pathOf(directory);
  for (const bytes of RESERVES) {
    try {
      await Deno.writeFile(path, new Uint8Array(bytes * SPARE), { create: false });
      await Deno.truncate(path, bytes);
      return;
    } catch {
      await giveRoomBack(directory);
    }
  }
}

/** Gives the room back that was kept. */
export async function giveRoomBack(directory: string): Promise<void> {
  await Deno.truncate(pathOf(directory)).catch(() => {});
}

/** Gives up the claim: what is in the folder now is there for everybody. */
export async function releaseFolder(directory: string): Promise<void> {
  await Deno.remove(pathOf(directory)).catch(() => {});
}

function pathOf(directory: string): string {
  return `${directory}/${NAME}`;
}
