import { durationText } from "./number_text.ts";
import { wrapText } from "./wrap_text.ts";

/** The screen of live tables. */
export interface LiveTablesOptions {
  write(text: string): void;
  /** Columns and rows of the screen, asked each time as a window may change. */
  width(): number;
  height(): number;
}

/** Tables on a terminal that are redrawn when new values arrive. */
export class LiveTables {
  readonly #options: LiveTablesOptions;
  #lines = 0;

  constructor(options: LiveTablesOptions) {
    this.#options = options;
  }

  /** Draws the tables, as many lines of them as the screen has. */
  show(
    tables: readonly (readonly [kind: string, table: string])[],
    fetches: number,
    elapsedSeconds: number,
  ): void {
    const head = `scraped for ${
      durationText(elapsedSeconds)
    }, ${fetches} scrapes; latest values; Ctrl-C to stop`;
    // A line that the screen itself wraps would be two when it is drawn over.
    const width = this.#options.width();
    const lines = [head, ...tables.flatMap(([, table]) => table.split("\n"))]
      .map((line) => wrapText(line, width)[0] as string);
    const shown = lines.slice(0, Math.max(1, this.#options.height() - 1));
    this.#options.write(`${this.#up()}${shown.map((line) => `${line}\x1b[K\n`).join("")}\x1b[J`);
    this.#lines = shown.length;
  }

  /** Takes the tables off the screen. */
  clear(): void {
    if (this.#lines > 0) this.#options.write(`${this.#up()}\x1b[J`);
    this.#lines = 0;
  }

  #up(): string {
    return this.#lines === 0 ? "" : `\x1b[${this.#lines}A`;
  }
}
