/**
 * Whether a folder is still the one that a run began in. One that was removed, or taken by another
 * run, has the name, but not the files that this run has written.
 */

import { ExportError } from "./export_error.ts";
import { CLAIM, giveRoomBack, releaseFolder } from "./folder_claim.ts";

/** See the module's comment. */
export class FolderGuard {
  readonly #directory: string;
  readonly #folder: string | undefined;
  #claim: string | undefined;

  /** @param directory folder of the run, and of its claim if it has one */
  constructor(directory: string) {
    this.#directory = directory;
    this.#folder = identityOf(directory);
    this.#claim = identityOf(`${directory}/${CLAIM}`);
  }

  /** @throws {ExportError} if the folder is another one by now, or another run's */
  check(): void {
    if (!this.#isOurs) {
      throw new ExportError(
        this.#directory,
        "The folder was removed, or taken by another run, and with it what had been written",
      );
    }
  }

  /**
   * Releases the claim; the claim of another run stays.
   * @returns why the folder no longer belongs to the run; undefined if it does
   */
  async release(): Promise<string | undefined> {
    try {
      this.check();
      await giveRoomBack(this.#directory);
      await releaseFolder(this.#directory);
      return undefined;
    } catch (error) {
      if (!(error instanceof ExportError)) throw error;
      return error.message;
    } finally {
      this.#claim = undefined;
    }
  }

  get #isOurs(): boolean {
    return isSame(this.#folder, identityOf(this.#directory)) &&
      (this.#claim === undefined || isSame(this.#claim, identityOf(`${this.#directory}/${CLAIM}`)));
  }
}

function isSame(before: string | undefined, now: string | undefined): boolean {
  // Some file systems give no numbers.
  return before === undefined || before === now;
}

/** Device and inode of a file or folder; undefined if they are not known, or nothing is there. */
export function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = Deno.lstatSync(path);
    return ino === null ? undefined : `${dev}:${ino}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    // A thread that may only write cannot look.
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
