import { SECONDS, SECONDS_OR_INF } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const CONNECTION = "Connection";

/** The options of `inferometer profile` about connections, and waiting for servers. */
export const CONNECTION_OPTIONS = {
  requestTimeoutSeconds: {
    ...SECONDS_OR_INF,
    group: CONNECTION,
    help: "Maximum time from a request's start to its end",
    exclusive: true,
    mistakenFor: ["timeout", "request-timeout"],
    default: 21_600,
    example: "--request-timeout-seconds 2m",
  },
  connectionReuseStrategy: {
    kind: "text",
    group: CONNECTION,
    help: "Reuse connections from a pool, open one per request, or one per session",
    value: "strategy",
    choices: ["pooled", "never", "sticky-user-sessions"],
    default: "pooled",
    example: "--connection-reuse-strategy never",
  },
  transport: {
    kind: "text",
    aliases: ["transport-type"],
    group: CONNECTION,
    help: "Built-in HTTP/1.1 client with full timing, or the runtime's fetch (HTTP/2, proxies)",
    value: "name",
    choices: ["socket", "fetch"],
    synonyms: { "http": "socket" },
    default: "socket",
    example: "--transport fetch",
  },
  caCert: {
    kind: "texts",
    group: CONNECTION,
    help: "PEM file with additional CA certificates to trust",
    value: "file",
    completes: "file",
    example: "--ca-cert internal-ca.pem",
  },
  clientCert: {
    kind: "text",
    group: CONNECTION,
    help: "PEM file with the client certificate (mutual TLS)",
    value: "file",
    completes: "file",
    needs: ["clientKey"],
    example: "--client-cert client.pem --client-key client.key",
  },
  clientKey: {
    kind: "text",
    group: CONNECTION,
    help: "PEM file with the private key of --client-cert",
    value: "file",
    completes: "file",
    needs: ["clientCert"],
  },
  waitForModelTimeout: {
    ...SECONDS_OR_INF,
    group: CONNECTION,
    help: "Maximum wait for the server to list a model before the run",
    default: 0,
    defaultText: "0, no waiting",
    example: "--wait-for-model-timeout 10m",
  },
  waitForModelMode: {
    kind: "text",
    group: CONNECTION,
    help: "What a server must do to be ready: list a model, answer a small request, or both",
    value: "mode",
    choices: ["models", "inference", "both"],
    default: "models",
    example: "--wait-for-model-timeout 10m --wait-for-model-mode inference",
  },
  waitForModelInterval: {
    ...SECONDS,
    group: CONNECTION,
    help: "Time between two looks whether a server is ready",
    exclusive: true,
    max: 86_400,
    defaultText: "0.5",
  },
} as const satisfies OptionTable;
