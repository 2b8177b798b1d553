/** Messages of the TLS library, and their meaning to a user who can fix the cause. */
const REASONS: readonly (readonly [pattern: RegExp, reason: (match: RegExpExecArray) => string])[] =
  [
    [
      /UnknownIssuer/,
      () =>
        "The issuer of its certificate is not known (UnknownIssuer): trust it with --ca-cert; " +
        "behind a proxy that inspects TLS, the issuer is the proxy's CA",
    ],
    [
      /CaUsedAsEndEntity/,
      () =>
        "Its certificate is a CA's own (CaUsedAsEndEntity), which proves no server: " +
        "let it sign one with basicConstraints CA:FALSE",
    ],
    [
      /InvalidContentType|corrupt message/,
      () => "It does not speak TLS: use http:// in --url",
    ],
    [
      /alert: NoApplicationProtocol|NoApplicationProtocol/,
      () => "It speaks HTTP/2 only: use --transport fetch",
    ],
    [
      /certificate expired: .* after (\d+)/,
      ([, seconds]) =>
        `Its certificate expired on ${new Date(Number(seconds) * 1000).toISOString().slice(0, 10)}`,
    ],
    [
      /not valid yet: .* until (\d+)/,
      ([, seconds]) =>
        `Its certificate is not valid before ${
          new Date(Number(seconds) * 1000).toISOString().slice(0, 10)
        }`,
    ],
    [
      /certificate not valid for name "([^"]*)"(?:; certificate is only valid for (.*))?/,
      ([, name, others]) =>
        `Its certificate is not valid for name "${name}"` +
        (others === undefined ? "" : `, only for ${others.replace(/\w+\("([^"]*)"\)/g, "$1")}`),
    ],
    [
      /alert: (CertificateRequired|BadCertificate|UnknownCA)/,
      ([, alert]) =>
        `It does not accept the certificate of this client (${alert}): see --client-cert`,
    ],
  ];

/** Returns the reason of a failed TLS handshake as text; other texts are returned unchanged. */
export function tlsReason(message: string): string {
  for (const [pattern, reason] of REASONS) {
    const match = pattern.exec(message);
    if (match !== null) return reason(match);
  }
  return message;
}
