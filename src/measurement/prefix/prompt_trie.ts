/**
 * The beginnings that prompts have in common, as a radix trie over the characters of their
 * codes. A node is a place at which prompts end or part; prompts through a node begin with the same
 * code up to it.
 */

/** The node of the empty text. */
export const ROOT = 0;

/** See the module's comment. */
export class PromptTrie {
  readonly #parents: number[] = [-1];
  readonly #ends: number[] = [0];
  readonly #texts: string[] = [""];
  readonly #children: (Map<number, number> | undefined)[] = [undefined];

  /** Number of nodes; they are numbered from 0. */
  get length(): number {
    return this.#parents.length;
  }

  /** Adds a prompt; returns the node at its end, which equal prompts share. */
  add(text: string): number {
    let [node, at] = [ROOT, 0];
    while (at < text.length) {
      const code = text.charCodeAt(at);
      const child = this.#children[node]?.get(code);
      if (child === undefined) return this.#append(node, text, text.length, code);
      const end = this.#ends[child] as number;
      const other = this.#texts[child] as string;
      const limit = Math.min(end, text.length);
      let same = at + 1;
      while (same < limit && text.charCodeAt(same) === other.charCodeAt(same)) same++;
      node = same === end ? child : this.#split(node, child, same, code);
      at = same;
    }
    return node;
  }

  /** The node before a node on the way of its prompts; -1 for the root. */
  parentOf(node: number): number {
    return this.#parents[node] as number;
  }

  /** A prompt through a node; its first {@linkcode endOf} characters are those of all of them. */
  textOf(node: number): string {
    return this.#texts[node] as string;
  }

  /** Characters up to a node. */
  endOf(node: number): number {
    return this.#ends[node] as number;
  }

  /** Whether prompts continue after a node. */
  isInner(node: number): boolean {
    return this.#children[node] !== undefined;
  }

  /** The nodes from the first one after the root to a node. */
  pathTo(node: number): number[] {
    const path: number[] = [];
    for (let at = node; at > ROOT; at = this.#parents[at] as number) path.push(at);
    return path.reverse();
  }

  #append(parent: number, text: string, end: number, code: number): number {
    const node = this.#parents.length;
    this.#parents.push(parent);
    this.#ends.push(end);
    this.#texts.push(text);
    this.#children.push(undefined);
    this.#setChild(parent, code, node);
    return node;
  }

  /** Puts a node between a node and its child. */
  #split(parent: number, child: number, end: number, code: number): number {
    const text = this.#texts[child] as string;
    const middle = this.#append(parent, text, end, code);
    this.#parents[child] = middle;
    this.#setChild(middle, text.charCodeAt(end), child);
    return middle;
  }

  #setChild(node: number, code: number, child: number): void {
    const children = this.#children[node];
    if (children === undefined) this.#children[node] = new Map([[code, child]]);
    else children.set(code, child);
  }
}
