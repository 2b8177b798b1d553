import { works } from "./works.ts";

/** Whether file systems can be mounted here, which only the superuser of a Unix may. */
export const CAN_MOUNT: boolean = Deno.build.os === "linux" && Deno.uid() === 0 && mounts("tmpfs");

/** Runs a test with a file system of its own, which is taken away afterwards. */
export async function withDisk(
  options: string,
  test: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "inferometer-disk-" });
  await command("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
  try {
    await test(folder);
  } finally {
    await command("umount", [folder]);
    await Deno.remove(folder);
  }
}

function mounts(type: string): boolean {
  const folder = Deno.makeTempDirSync({ prefix: "inferometer-disk-" });
  try {
    return works("mount", ["-t", type, type, folder]) && works("umount", [folder]);
  } finally {
    Deno.removeSync(folder);
  }
}

async function command(name: string, args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(name, { args }).output();
  if (!success) throw new Error(`${name} failed: ${new TextDecoder().decode(stderr)}`);
}
