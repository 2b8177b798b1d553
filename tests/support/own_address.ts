/**
 * An address of this machine that no other test has, for servers that go away while somebody asks
 * for them. At 127.0.0.1 the port of such a server is given to a server of another test, which then
 * gets requests that are none of its business, or answers where nobody should.
 *
 * Only Linux has all of 127.0.0.0/8.
 */
export function ownAddress(): string {
  if (Deno.build.os !== "linux") return "127.0.0.1";
  const [second = 0, third = 0, last = 0] = crypto.getRandomValues(new Uint8Array(3));
  return `127.${1 + second % 254}.${third}.${1 + last % 254}`;
}
