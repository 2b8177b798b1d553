/** The part of `Deno.Conn` that the mock server uses. */
export type MockConnection = Pick<Deno.Conn, "read" | "write" | "close">;
