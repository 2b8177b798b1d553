/**
 * Whether an entry of NO_PROXY excludes a host by the runtime's rules: `*`, an address or a range of
 * addresses, or a domain with or without a dot before it. The runtime knows no `*.domain`, no ports, and
 * compares the case of letters.
 * @param hostname IPv6 without brackets
 */
export function isExcepted(entry: string, hostname: string): boolean {
  if (entry === "*") return true;
  const host = addressBits(hostname);
  if (host !== undefined) {
    const [address = "", length] = entry.split("/", 2);
    const range = addressBits(address);
    const count = length === undefined ? host.length : /^\d+$/.test(length) ? Number(length) : NaN;
    return range?.length === host.length && count <= host.length &&
      range.slice(0, count) === host.slice(0, count);
  }
  const domain = entry.replace(/^\./, "");
  return domain !== "" && (hostname === domain || hostname.endsWith(`.${domain}`));
}

/** An address as 32 or 128 digits of 0 and 1; undefined for a name. */
function addressBits(text: string): string | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return bitsOf(text.split(".").map(Number), 8);
  if (!text.includes(":")) return undefined;
  // Written in its shortest form, without an IPv4 address at its end.
  const short = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
  if (short === undefined) return undefined;
  const [before, after] = short.split("::", 2)
    .map((part) => part.split(":").filter((word) => word !== "")) as [string[], string[]?];
  const missing = 8 - before.length - (after?.length ?? 0);
  const words = [...before, ...Array.from({ length: missing }, () => "0"), ...after ?? []];
  return bitsOf(words.map((word) => parseInt(word, 16)), 16);
}

function bitsOf(numbers: readonly number[], digits: number): string {
  return numbers.map((number) => number.toString(2).padStart(digits, "0")).join("");
}
