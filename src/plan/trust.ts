import { UsageError } from "./usage_error.ts";

/** Where systems keep the certificates they trust. */
const SYSTEM_STORES = [
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
  return await Promise.all(paths.map(async (path) => {
    let text: string;
    try {
      text = await Deno.readTextFile(path);
    } catch (error) {
      throw new UsageError("--ca-cert", `Cannot read ${path}: ${(error as Error).message}`);
    }
    if (!text.includes("-----BEGIN CERTIFICATE-----")) {
      throw new UsageError("--ca-cert", `There is no PEM certificate in ${path}`);
    }
    return text;
  }));
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
