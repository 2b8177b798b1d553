/** Remedies by the HTTP status of the most frequent failure. */
const BY_STATUS: Readonly<Record<string, string>> = {
  "400": "compare the request with the server's message; --omit-inputs removes a field",
  "401": "set --api-key or INFEROMETER_API_KEY, then run again",
  "403": "set --api-key or INFEROMETER_API_KEY, then run again",
  "404": "check --model, --endpoint-type and the path in --url",
  "405": "check --endpoint-type and the path in --url",
  "413": "shorten the prompts: --isl, or another --input-file",
  "415": "check --endpoint-type",
  "422": "compare the request with the server's message; --omit-inputs removes a field",
  "429": "lower the load, or use --on-429 wait",
  "501": "start the server with this API, or choose another --endpoint-type",
  "502": "check the server behind the proxy, then run again",
  "503": "wait until the server is ready: --wait-for-model-timeout 300",
  "504": "raise the timeout of the proxy, or lower the load",
};

/** Remedies by the kind of error where there was no HTTP status. */
const BY_KIND: Readonly<Record<string, string>> = {
  "connect": "start the server, or correct --url",
  "tls": "check http:// or https:// in --url; --ca-cert trusts a private CA",
  "timeout": "raise --request-timeout-seconds, or lower the load",
  "connection_closed": "look into the server's log, then run again",
  "no_content": "check the chat template and --osl: replies had no text",
  "unexpected_reply": "compare a reply with --expect-regex and --expect-min-tokens",
};

/**
 * Returns what to do about a failure that all or most requests met.
 * @param topError the most frequent failure: HTTP status and its name, or the kind of error
 */
export function failureRemedy(topError: string | undefined): string | undefined {
  const [code = ""] = (topError ?? "").split(" ");
  if (/^5\d\d$/.test(code) && !(code in BY_STATUS)) {
    return "look into the server's log, then run again";
  }
  return BY_STATUS[code] ?? BY_KIND[code];
}
