import type { DashboardTerminal } from "./dashboard.ts";
import { hasColor, takesControlCodes, writeError } from "./terminal.ts";

const KEY_BYTES = 256;
/** Where a terminal does not tell its size. */
const SIZE = { columns: 80, rows: 24 };
const decoder = new TextDecoder();

/** Whether the process has a terminal that a full-screen view can be on. */
export function hasDashboardTerminal(): boolean {
  return takesControlCodes(Deno.stderr) && takesControlCodes(Deno.stdout);
}

/**
 * The process' terminal.
 * @param mayRead whether standard input is not needed for anything else
 */
export function dashboardTerminal(mayRead: boolean): DashboardTerminal {
  const hasKeys = mayRead && Deno.stdin.isTerminal();
  const buffer = new Uint8Array(KEY_BYTES);
  return {
    size() {
      try {
        const { columns, rows } = Deno.consoleSize();
        return columns > 0 && rows > 0 ? { columns, rows } : SIZE;
      } catch {
        return SIZE;
      }
    },
    write: writeError,
    setRaw(isRaw) {
      if (!hasKeys) return false;
      try {
        // Ctrl-C stays a signal. Windows knows no such mode.
        Deno.stdin.setRaw(isRaw, { cbreak: Deno.build.os !== "windows" });
        return true;
      } catch {
        return false;
      }
    },
    async readKeys() {
      const length = await Deno.stdin.read(buffer).catch(() => null);
      return length === null ? undefined : decoder.decode(buffer.subarray(0, length));
    },
    color: hasColor(Deno.stderr),
    onSignal: (signal, listener) => Deno.addSignalListener(signal, listener),
    offSignal: (signal, listener) => Deno.removeSignalListener(signal, listener),
    onExit: (listener) => globalThis.addEventListener("unload", listener),
    offExit: (listener) => globalThis.removeEventListener("unload", listener),
  };
}
