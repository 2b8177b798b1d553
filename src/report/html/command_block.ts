import { escapedMarkup } from "../../core/chart/markup.ts";

/** A command line to read and to copy; it is broken between its words, not within `--option`. */
export function commandBlock(command: string): string {
  const words = command.split(" ").map((word) =>
    word === "" ? "" : `<span class="word">${escapedMarkup(word)}</span>`
  );
  return `<pre id="command">${words.join(" ")}</pre>`;
}
