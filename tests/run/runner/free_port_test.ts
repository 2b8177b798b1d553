import assert from "node:assert/strict";
import { freePort, freePortAt } from "../../../src/run/runner/free_port.ts";

Deno.test("freePort gives ports to listen at that no connection is given", () => {
  const ports = Array.from({ length: 50 }, () => freePort() as number);
  // Linux begins at 32768, other systems at 49152.
  for (const port of ports) assert.ok(port >= 20_000 && port < 30_000, String(port));
  assert.ok(new Set(ports).size > 40, "two programs that ask at one time get different ones");
  using _listener = Deno.listen({ hostname: "127.0.0.1", port: ports[0] as number });
});

Deno.test("freePortAt says why it cannot listen at an address", () => {
  // Addresses of documentation are no machine's own.
  assert.throws(() => freePortAt("192.0.2.1"), Deno.errors.AddrNotAvailable);
});
