/** Counters of servers' metrics pages, read apart from the program that is checked. */

/** Sum of the series of a counter that have some labels, such as `position="0"`. */
export type PageCounter = (name: string, ...labels: readonly string[]) => number;

/** Reads a page; one that the server does not have counts as empty. */
export async function readCounters(url: string): Promise<PageCounter> {
  const response = await fetch(url);
  const text = await response.text();
  const lines = response.ok ? text.split("\n") : [];
  return (name, ...labels) =>
    lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .filter((line) => labels.every((label) => line.includes(label)))
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

/** What counters have grown by. */
export function increase(before: PageCounter, after: PageCounter): PageCounter {
  return (...name) => after(...name) - before(...name);
}
