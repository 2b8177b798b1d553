/**
 * The full-screen view of a run. It writes to standard error, as progress does, and reads keys from
 * standard input. However the process ends, the terminal gets its own screen and settings back.
 */

import { dashboardLines } from "../../report/live/dashboard_lines.ts";
import type { LiveModel } from "../../report/live/live_model.ts";

/** Another screen than the one with the user's history, no cursor, no wrapping of long lines. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
const LEAVE = "\x1b[2J\x1b[?7h\x1b[?25h\x1b[?1049l";

/** What a person can do to a run under way. */
export interface DashboardKeys {
  togglePause(): void;
  step(direction: 1 | -1): void;
  mark(): void;
}

/** The terminal of a {@linkcode Dashboard}. */
export interface DashboardTerminal {
  /** Columns and rows, asked for each time as a window may change. */
  size(): { readonly columns: number; readonly rows: number };
  write(text: string): void;
  /** Has keys come at once and unseen, or not any more; false if nobody can press keys. */
  setRaw(isRaw: boolean): boolean;
  /** The keys that were pressed, as text; undefined at the end of input. */
  readKeys(): Promise<string | undefined>;
  readonly color: boolean;
  onSignal(signal: Deno.Signal, listener: () => void): void;
  offSignal(signal: Deno.Signal, listener: () => void): void;
  /** Calls before the process ends, also by `exit`. */
  onExit(listener: () => void): void;
  offExit(listener: () => void): void;
}

/** See the module's comment. */
export class Dashboard {
  readonly #terminal: DashboardTerminal;
  readonly #onQuit: () => void;
  readonly #remarks: readonly string[];
  #notice: string | undefined;
  #keys: DashboardKeys | undefined;
  #model: LiveModel | undefined;
  /** The lines that are on the screen. */
  #shown: string[] = [];
  #hasKeys = false;
  #isOpen = false;
  readonly #onResize = (): void => {
    this.#shown = [];
    this.#draw();
  };
  /** A shell in between may have changed everything. */
  readonly #onContinue = (): void => {
    this.#hasKeys = this.#terminal.setRaw(true);
    this.#terminal.write(ENTER);
    this.#onResize();
  };
  /** A client that stood still would measure its own stall. */
  readonly #onStop = (): void => {};
  readonly #leave = (): void => this.#restore();

  /**
   * @param onQuit called when the user wants the run to end
   * @param remarks lines that are shown all the time
   */
  constructor(terminal: DashboardTerminal, onQuit: () => void, remarks: readonly string[] = []) {
    this.#terminal = terminal;
    this.#remarks = remarks;
    this.#onQuit = onQuit;
  }

  /** Takes the screen. */
  open(): void {
    const { onExit, onSignal } = this.#terminal;
    this.#isOpen = true;
    onExit(this.#leave);
    if (Deno.build.os !== "windows") {
      onSignal("SIGWINCH", this.#onResize);
      onSignal("SIGCONT", this.#onContinue);
      onSignal("SIGTSTP", this.#onStop);
    }
    this.#hasKeys = this.#terminal.setRaw(true);
    this.#terminal.write(`${ENTER}\x1b[1;1Hinferometer  getting ready`);
    if (this.#hasKeys) this.#listen();
  }

  /** From now on keys change the load. */
  set keys(keys: DashboardKeys) {
    this.#keys = keys;
  }

  /** Shows a moment. */
  show(model: LiveModel): void {
    this.#model = model;
    this.#draw();
  }

  /** Shows a line in place of the keys until the end. */
  notice(text: string): void {
    this.#notice = text;
    this.#draw();
  }

  /** Gives the screen back. */
  close(): void {
    this.#restore();
    const { offExit, offSignal } = this.#terminal;
    offExit(this.#leave);
    if (Deno.build.os !== "windows") {
      offSignal("SIGWINCH", this.#onResize);
      offSignal("SIGCONT", this.#onContinue);
      offSignal("SIGTSTP", this.#onStop);
    }
  }

  #restore(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#terminal.write(LEAVE);
    this.#terminal.setRaw(false);
  }

  /** Writes the lines that differ from those on the screen. */
  #draw(): void {
    if (!this.#isOpen || this.#model === undefined) return;
    const { columns, rows } = this.#terminal.size();
    const { color } = this.#terminal;
    const lines = dashboardLines(this.#model, {
      width: columns,
      height: rows,
      color,
      hasKeys: this.#hasKeys,
      notice: this.#notice,
      remarks: this.#remarks,
    });
    const changed = lines.flatMap((line, row) =>
      line === this.#shown[row] ? [] : [`\x1b[${row + 1};1H\x1b[2K${line}\x1b[0m`]
    );
    // A screen of another size is drawn from nothing.
    if (this.#shown.length === 0) changed.unshift("\x1b[2J");
    this.#shown = lines;
    if (changed.length > 0) this.#terminal.write(changed.join(""));
  }

  async #listen(): Promise<void> {
    for (;;) {
      const text = await this.#terminal.readKeys();
      if (text === undefined || !this.#isOpen) return;
      for (const key of keysOf(text)) this.#press(key);
    }
  }

  #press(key: string): void {
    switch (key) {
      case "p":
      case " ":
        this.#keys?.togglePause();
        break;
      case "+":
      case "=":
        this.#keys?.step(1);
        break;
      case "-":
        this.#keys?.step(-1);
        break;
      case "m":
        this.#keys?.mark();
        break;
      case "q":
        this.#onQuit();
        break;
    }
  }
}

/** Single keys in lower case; those that come as a sequence (arrows, pasted text's ends) are none. */
function keysOf(text: string): string[] {
  // deno-lint-ignore no-control-regex
  return [...text.replace(/\x1b(\[[0-9;?]*[ -/]*[@-~]|O.|.)?/g, "").toLowerCase()];
}
