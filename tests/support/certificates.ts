/** An authority of its own for each test, and the certificates that it signs. */

import { works } from "./works.ts";

/** Whether there is an openssl to make certificates with. */
export const HAS_OPENSSL: boolean = works("openssl", ["version"]);

/** A certificate and its key, in PEM and in files. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly certPath: string;
  readonly keyPath: string;
}

/** Signs certificates. */
export interface Authority extends Certificate {
  /**
   * Signs a certificate.
   * @param names what it is valid for, as `DNS:host` and `IP:address`
   * @param validity from and to, as `YYYYMMDDHHMMSSZ`; from now on for two days if missing
   */
  sign(
    name: string,
    names: readonly string[],
    validity?: readonly [from: string, to: string],
  ): Promise<Certificate>;
}

const CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Makes an authority whose files lie in a folder. */
export async function makeAuthority(folder: string): Promise<Authority> {
  await Deno.mkdir(folder, { recursive: true });
  const path = (name: string) => `${folder}/${name}`;
  await openssl([
    ...["req", "-x509", ...CURVE, "-keyout", path("ca.key"), "-out", path("ca.pem")],
    ...["-subj", "/CN=Authority of a test", "-days", "2"],
  ]);
  await Deno.writeTextFile(path("index.txt"), "");
  await Deno.writeTextFile(path("serial"), "01\n");
  await Deno.writeTextFile(
    path("ca.conf"),
    `[ca]\ndefault_ca=test\n[test]\ndatabase=${path("index.txt")}\nserial=${path("serial")}\n` +
      `new_certs_dir=${folder}\ncertificate=${path("ca.pem")}\nprivate_key=${path("ca.key")}\n` +
      `default_md=sha256\ndefault_days=2\npolicy=any\n[any]\ncommonName=supplied\n`,
  );
  return {
    ...await read(path("ca.pem"), path("ca.key")),
    async sign(name, names, validity) {
      const request = path(`${name}.csr`);
      const [certPath, keyPath] = [path(`${name}.pem`), path(`${name}.key`)];
      const extensions = path(`${name}.ext`);
      await Deno.writeTextFile(
        extensions,
        `subjectAltName=${names.join(",")}\nbasicConstraints=CA:FALSE\n`,
      );
      await openssl([
        "req",
        "-new",
        ...CURVE,
        "-keyout",
        keyPath,
        "-out",
        request,
        "-subj",
        `/CN=${name}`,
      ]);
      const [from, to] = validity ?? [];
      await openssl([
        ...["ca", "-batch", "-notext", "-config", path("ca.conf"), "-extfile", extensions],
        ...["-in", request, "-out", certPath],
        ...(from === undefined || to === undefined ? [] : ["-startdate", from, "-enddate", to]),
      ]);
      return await read(certPath, keyPath);
    },
  };
}

async function read(certPath: string, keyPath: string): Promise<Certificate> {
  const [cert, key] = await Promise.all([
    Deno.readTextFile(certPath),
    Deno.readTextFile(keyPath),
  ]);
  return { cert, key, certPath, keyPath };
}

async function openssl(args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", { args: [...args] }).output();
  if (!success) throw new Error(`openssl failed: ${new TextDecoder().decode(stderr)}`);
}
