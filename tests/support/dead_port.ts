/** A port of 127.0.0.1 on which nothing listens: one that was free a moment ago. */
export function deadPort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}
