import { setPriority } from "node:os";

/** Priority that gets about a tenth of a normal thread's time under contention. */
const BACKGROUND = 10;

/**
 * Lowers the priority of this thread on busy machines: its work can wait, while another thread
 * takes timestamps. Only on Linux, where a priority belongs to a thread; elsewhere it would apply
 * to the whole process.
 */
export async function lowerThreadPriority(): Promise<void> {
  if (Deno.build.os !== "linux") return;
  try {
    setPriority(0, BACKGROUND);
  } catch {
    // Not permitted, which only costs accuracy on a machine that is too small anyway.
  }
  await Deno.permissions.revoke({ name: "sys" });
}
