/** A real terminal that tests look at: a window of tmux. */

import { cliCommand } from "./run_cli.ts";
import { HANG_MS } from "./hang_guard.ts";

const TMUX = "/usr/bin/tmux";
const LOOK_MS = 50;
const decoder = new TextDecoder();

/** Whether there is tmux on this machine. */
export function hasTmux(): boolean {
  try {
    return Deno.build.os === "linux" && Deno.statSync(TMUX).isFile;
  } catch {
    return false;
  }
}

/** What is left of a terminal's settings. */
export interface TerminalState {
  /** Whether the screen without the user's history is shown, and the cursor, and lines wrap. */
  readonly isAlternate: boolean;
  readonly hasCursor: boolean;
  readonly wraps: boolean;
  /** What `stty -a` says. */
  readonly settings: string;
}

/** See the module's comment. */
export class TmuxWindow implements AsyncDisposable {
  readonly #socket: string;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  /**
   * Opens a window with a shell in it.
   * @param shell a plain one leaves the terminal's settings as programs leave them
   */
  static async open(columns: number, rows: number, shell = ["sh"]): Promise<TmuxWindow> {
    const window = new TmuxWindow(`inferometer-${crypto.randomUUID()}`);
    await window.#tmux(
      ...["-f", "/dev/null", "new-session", "-d", "-x", String(columns), "-y", String(rows)],
      ...["env", "-u", "NO_COLOR", "PS1=ready> ", ...shell],
    );
    return window;
  }

  /** Types a command line of the program; its exit code follows it as `EXIT 0`. */
  async runCli(args: readonly string[]): Promise<void> {
    const [command, commandArgs] = cliCommand(args);
    const quoted = [command, ...commandArgs].map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`);
    await this.type(`${quoted.join(" ")}; echo EXIT $?`);
  }

  /** Types a line. */
  async type(text: string): Promise<void> {
    await this.#tmux("send-keys", "-l", text);
    await this.#tmux("send-keys", "Enter");
  }

  /** Presses keys, as `q` or `C-c`. */
  async press(...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", ...keys);
  }

  /** Changes the size of the window. */
  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** What stands on the screen. */
  async screen(): Promise<string> {
    return await this.#tmux("capture-pane", "-p");
  }

  /** What stands on the screen and above it. */
  async history(): Promise<string> {
    return await this.#tmux("capture-pane", "-p", "-S", "-");
  }

  /** Waits until the screen matches, and gives it. */
  async until(pattern: RegExp): Promise<string> {
    const start = performance.now();
    for (;;) {
      const screen = await this.screen();
      if (pattern.test(screen)) return screen;
      if (performance.now() - start > HANG_MS) {
        throw new Error(`${pattern} does not come: ${screen}`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** The process that runs in the foreground. */
  async processId(): Promise<number> {
    const tty = (await this.#tmux("display-message", "-p", "#{pane_tty}")).trim();
    const { stdout } = await new Deno.Command("ps", {
      args: ["-t", tty.replace("/dev/", ""), "-o", "pid=,stat=,args="],
    }).output();
    const line = decoder.decode(stdout).split("\n")
      .find((line) => /^ *\d+ \S*\+ /.test(line) && line.includes(" profile "));
    if (line === undefined) throw new Error("Nothing runs");
    return Number(line.trim().split(" ")[0]);
  }

  /** The state of the terminal. */
  async state(): Promise<TerminalState> {
    const flags = await this.#tmux(
      ...["display-message", "-p", "#{alternate_on} #{cursor_flag} #{wrap_flag}"],
    );
    const [isAlternate, hasCursor, wraps] = flags.trim().split(" ").map((flag) => flag === "1");
    const tty = (await this.#tmux("display-message", "-p", "#{pane_tty}")).trim();
    const { stdout } = await new Deno.Command("stty", { args: ["-a", "-F", tty] }).output();
    return {
      isAlternate: isAlternate === true,
      hasCursor: hasCursor === true,
      wraps: wraps === true,
      settings: decoder.decode(stdout),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux("kill-server").catch(() => {});
  }

  async #tmux(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await new Deno.Command(TMUX, {
      args: ["-L", this.#socket, ...args],
      env: { "LC_ALL": "C.UTF-8", "TERM": "xterm" },
    }).output();
    if (code !== 0) throw new Error(`tmux ${args.join(" ")}: ${decoder.decode(stderr)}`);
    return decoder.decode(stdout);
  }
}
