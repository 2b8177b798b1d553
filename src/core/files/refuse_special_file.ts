/** Where the streams of a process are: `/dev/stdout` is a link to there. */
const STREAMS = "/proc/";

/**
 * Refuses a path at which a device, a pipe or a socket is, or a link to one: a file that is put in
 * its place, as root can do with `/dev/null`, would replace it for all users.
 * @throws {Error} if there is one
 */
export function refuseSpecialFile(path: string): void {
  if (isSpecial(path)) throw new Error("It is a device or a pipe: name a file");
}

function isSpecial(path: string): boolean {
  // Threads that write the files of a run may not look, and nobody is to be asked for it.
  if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") return false;
  try {
    const { isDirectory, isFile, isSymlink } = Deno.lstatSync(path);
    if (!isSymlink) return !isFile && !isDirectory;
    if (Deno.readLinkSync(path).startsWith(STREAMS)) return true;
    const target = Deno.statSync(path);
    return !target.isFile && !target.isDirectory;
  } catch {
    return false; // There is nothing.
  }
}
