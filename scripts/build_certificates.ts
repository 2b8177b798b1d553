/**
 * Makes the certificates that tests use: `deno run --allow-all scripts/build_certificates.ts`
 *
 * They are valid for a hundred years, but for the one that is expired. Their keys are no secrets.
 * Needs `openssl`; the results lie in `fixtures/tls/`.
 */

import { fileURLToPath } from "node:url";
import { programOutput } from "./process/program_output.ts";

const FOLDER = fileURLToPath(new URL("../fixtures/tls/", import.meta.url));
const SERVER_NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1";
const NOT_A_CA = "basicConstraints=critical,CA:FALSE";

/** Name, extensions, and the beginning and end of the validity. */
const CERTIFICATES: readonly (readonly [string, readonly string[], string, string])[] = [
  ["server", [SERVER_NAMES, NOT_A_CA], "20250101000000Z", "21250101000000Z"],
  ["expired", [SERVER_NAMES, NOT_A_CA], "20200101000000Z", "20200201000000Z"],
  ["other-name", ["subjectAltName=DNS:other.test", NOT_A_CA], "20250101000000Z", "21250101000000Z"],
  ["client", ["extendedKeyUsage=clientAuth", NOT_A_CA], "20250101000000Z", "21250101000000Z"],
];

async function openssl(args: readonly string[], cwd: string): Promise<void> {
  await programOutput("openssl", args, { cwd });
}

const work = await Deno.makeTempDir();
try {
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const selfSigned = async (name: string, subject: string, extensions: readonly string[]) =>
    await openssl([
      ...["req", "-x509", ...newKey, "-days", "36500", "-subj", `/CN=${subject}`],
      ...["-keyout", `${name}.key`, "-out", `${name}.pem`],
      ...extensions.flatMap((extension) => ["-addext", extension]),
    ], work);
  await selfSigned("ca", "inferometer tests CA", []);
  await selfSigned("stranger", "another CA", []);
  // What openssl makes of a server that signs its own certificate, if nothing else is said.
  await selfSigned("self-signed", "localhost", [SERVER_NAMES]);
  await Deno.writeTextFile(`${work}/index`, "");
  await Deno.writeTextFile(
    `${work}/ca.conf`,
    [
      ...["[ca]", "default_ca=own", "[own]", "database=index", "new_certs_dir=.", "policy=any"],
      ...["certificate=ca.pem", "private_key=ca.key", "default_md=sha256", "rand_serial=yes"],
      ...["unique_subject=no", "[any]", "commonName=supplied", ""],
    ].join("\n"),
  );
  for (const [name, extensions, from, to] of CERTIFICATES) {
    await Deno.writeTextFile(`${work}/${name}.ext`, `${extensions.join("\n")}\n`);
    await openssl([
      ...["req", "-new", ...newKey, "-subj", `/CN=${name}`],
      ...["-keyout", `${name}.key`, "-out", `${name}.csr`],
    ], work);
    await openssl([
      ...["ca", "-batch", "-notext", "-config", "ca.conf", "-extfile", `${name}.ext`],
      ...["-startdate", from, "-enddate", to, "-in", `${name}.csr`, "-out", `${name}.pem`],
    ], work);
  }
  await Deno.mkdir(FOLDER, { recursive: true });
  const made = [...CERTIFICATES.map(([name]) => name), "ca", "stranger", "self-signed"];
  for (const name of made) {
    await Deno.copyFile(`${work}/${name}.pem`, `${FOLDER}${name}.pem`);
    await Deno.copyFile(`${work}/${name}.key`, `${FOLDER}${name}.key`);
  }
  await Deno.remove(`${FOLDER}ca.key`);
  await Deno.remove(`${FOLDER}stranger.key`);
} finally {
  await Deno.remove(work, { recursive: true });
}
