import type { KeyObject } from "node:crypto";
import type { ClientCertificate } from "../../../client/http/transport.ts";
import { readFile, utf8Text } from "../../../core/files/read_file.ts";
import { UsageError } from "../../options/usage_error.ts";

/** A file with every authority of the world has a quarter of a megabyte. */
const MAX_PEM_BYTES = 16_000_000;

/** Files in which systems keep the certificates they trust. */
export const SYSTEM_STORES: readonly string[] = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/**
 * Reads certificates that `--ca-cert` names.
 * @throws {UsageError} if a file cannot be read or holds no certificate
 */
export async function readCaCerts(paths: readonly string[]): Promise<string[]> {
  return await Promise.all(paths.map((path) => readPem("--ca-cert", path, "CERTIFICATE")));
}

/** The flags that name a certificate and its key. */
export interface CertificateFlags {
  readonly cert: string;
  readonly key: string;
}

const CLIENT_FLAGS: CertificateFlags = { cert: "--client-cert", key: "--client-key" };

/**
 * Reads a certificate and its key, if they are named.
 * @param flags what they were named by; those of the client's own if missing
 * @throws {UsageError} if a file cannot be read or does not hold what it should
 */
export async function readCertificate(
  certPath: string | undefined,
  keyPath: string | undefined,
  flags: CertificateFlags = CLIENT_FLAGS,
): Promise<ClientCertificate | undefined> {
  if (certPath === undefined || keyPath === undefined) return undefined;
  const cert = await readPem(flags.cert, certPath, "CERTIFICATE");
  const key = await readPem(flags.key, keyPath, "PRIVATE KEY");
  await assertPair(cert, key, keyPath, flags);
  return { cert, key };
}

/** A pair that does not match would end the process: Deno 2.6 does not expect it. */
async function assertPair(
  cert: string,
  key: string,
  keyPath: string,
  flags: CertificateFlags,
): Promise<void> {
  const { Buffer } = await import("node:buffer");
  const { createPublicKey, X509Certificate } = await import("node:crypto");
  const bytesOf = (option: string, publicKey: () => KeyObject): Uint8Array => {
    try {
      return publicKey().export({ type: "spki", format: "der" });
    } catch (error) {
      throw new UsageError(option, `Cannot be used: ${(error as Error).message}`);
    }
  };
  const ofCert = bytesOf(flags.cert, () => new X509Certificate(cert).publicKey);
  const ofKey = bytesOf(flags.key, () => createPublicKey(key));
  if (Buffer.compare(ofCert, ofKey) !== 0) {
    throw new UsageError(flags.key, `The key in ${keyPath} is not that of the certificate`);
  }
}

async function readPem(option: string, path: string, label: string): Promise<string> {
  let text: string;
  try {
    text = utf8Text(await readFile(path, { maxBytes: MAX_PEM_BYTES, pipes: true }));
  } catch (error) {
    throw new UsageError(option, `Cannot read ${path}: ${(error as Error).message}`);
  }
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text)) {
    throw new UsageError(option, `The key in ${path} is encrypted: decrypt it first`);
  }
  if (!new RegExp(`-----BEGIN [A-Z ]*${label}-----`).test(text)) {
    const article = label === "CERTIFICATE" ? "certificate" : "private key";
    throw new UsageError(option, `There is no PEM ${article} in ${path}`);
  }
  return text;
}

/** The certificates of the operating system's store; none where there is no such file. */
export async function readSystemCerts(): Promise<string[]> {
  for (const path of SYSTEM_STORES) {
    try {
      return [await Deno.readTextFile(path)];
    } catch {
      // Another system keeps them elsewhere.
    }
  }
  return [];
}
