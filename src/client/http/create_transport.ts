import { FetchTransport } from "./fetch_transport.ts";
import { SocketTransport } from "./socket_transport.ts";
import type { Transport, TransportOptions } from "./transport.ts";

/** The transport of that name. */
export function createTransport(name: "socket" | "fetch", options: TransportOptions): Transport {
  return name === "socket" ? new SocketTransport(options) : new FetchTransport(options);
}
