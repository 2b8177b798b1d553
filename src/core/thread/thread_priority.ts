import { setPriority } from "node:os";

/** Priority that gets about a tenth of a normal thread's time under contention. */
const BACKGROUND = 10;

/**
 * Has this thread stand back where the machine is busy: what it does can wait, while another thread
 * stamps times. On Linux alone, where a priority belongs to a thread; elsewhere it would be the
 * whole process'.
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
