/** Names and addresses of hosts in texts: finding them, and putting others in their places. */

import { replacedTexts } from "./replaced_texts.ts";

/** Labels and keys whose values are hosts. */
const HOST_KEYS =
  "hostname|host|node|nodename|node_name|instance|exported_instance|pod|pod_name|addr|address|ip|kubernetes_node";
const KEYED = new RegExp(`"(?:${HOST_KEYS})"\\s*[:,]\\s*"([^"\\\\]{1,300})"`, "gi");
const HOST_KEY = new RegExp(`^"(?:${HOST_KEYS})"$`, "i");
const IN_URL = /[a-z][a-z0-9+.-]*:\/\/(?:[^\s"'<>/?#@\\]*@)?(\[[0-9a-f:.]+\]|[^\s"'<>/?#:@\\]+)/gi;
const NAME = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i;
const IPV6 = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i;
const IPV4 = /(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)/g;
/** Names that stand for nobody's machine. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|::1?|ip6-localhost)$/i;

/** Hosts in the order in which they were found, and what stands in their places. */
export class HostNames {
  readonly #names = new Map<string, string>();
  #replace: ((text: string) => string) | undefined;

  /** Adds a host, with or without its port; loopback stays as it is. */
  add(text: string): void {
    const host = bare(text);
    if (host === undefined || this.#names.has(host)) return;
    this.#names.set(host, `host-${this.#names.size + 1}`);
    this.#replace = undefined;
  }

  /** Adds the hosts of URLs, of addresses, and under keys and labels that name hosts, in JSON. */
  addFrom(json: string): void {
    for (const [, host] of json.matchAll(IN_URL)) this.add(host as string);
    for (const [, host] of json.matchAll(KEYED)) this.add(host as string);
    for (const [address] of json.matchAll(IPV4)) this.add(address);
  }

  /** How many there are. */
  get count(): number {
    return this.#names.size;
  }

  /**
   * JSON text, of one value or of several lines, with other names in the places of the hosts: within
   * its texts, and where a key or a label says that a text is one.
   */
  replacedInJson(json: string): string {
    return replacedTexts(json, (text, key) => {
      const named = HOST_KEY.test(key) ? this.#names.get(bare(text) ?? "") : undefined;
      return named === undefined
        ? this.replacedIn(text)
        : named + text.slice(text.search(/:\d+$|$/));
    });
  }

  /** A text with other names in the places of the hosts. */
  replacedIn(text: string): string {
    this.#replace ??= replacer(this.#names);
    return this.#replace(text);
  }
}

function bare(text: string): string | undefined {
  const host = text.trim().toLowerCase().replace(/^\[([^\]]*)\].*$/, "$1")
    .replace(/^([^:]+):\d+$/, "$1");
  if (LOOPBACK.test(host)) return undefined;
  if (IPV6.test(host)) return host;
  return host.length >= 2 && /[a-z]|\d\.\d/.test(host) && NAME.test(host) ? host : undefined;
}

function replacer(names: ReadonlyMap<string, string>): (text: string) => string {
  if (names.size === 0) return (text) => text;
  // The longest first: a name may be the beginning of another.
  const patterns = [...names.keys()].sort((a, b) => b.length - a.length).map(patternOf);
  const pattern = new RegExp(patterns.join("|"), "gi");
  return (text) => text.replace(pattern, (host) => names.get(host.toLowerCase()) ?? host);
}

/** A plain word may mean something else, unless it stands where a host stands. */
function patternOf(host: string): string {
  const word = host.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  if (/[.:\d]/.test(host)) return `(?<![\\w.-])${word}(?![\\w-]|\\.\\w)`;
  return [
    `(?<=://|@)${word}(?![\\w.-])`,
    `(?<![\\w.:/-])${word}(?=:\\d{2,5}(?!\\w))`,
  ].join("|");
}
