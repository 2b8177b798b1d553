import type { BuildStamp } from "../compile/build_stamp.ts";

/** What packages say of the product. */
export const PRODUCT = {
  name: "inferometer",
  summary: "Measures LLM inference servers: load, token streams, server metrics, and its own error",
  license: "Apache-2.0",
  author: "The inferometer authors",
  /** Who is asked about packages. */
  email: "inferometer@users.noreply.github.com",
  homepage: "https://github.com/inferometer/inferometer",
  keywords: ["llm", "benchmark", "inference", "load-testing", "vllm", "sglang", "prometheus"],
  /** The oldest C library that the executables run with. */
  glibc: "2.27",
} as const;

/** Name of the file with the licenses of the packages and data in the program. */
export const NOTICES_NAME = "THIRD_PARTY_LICENSES.txt";

/** What all packages are made of, besides the executables. */
export interface PackageSource {
  readonly stamp: BuildStamp;
  readonly readme: string;
  readonly license: string;
  /** Licenses of the packages and data in the program. */
  readonly notices: string;
  readonly changelog: string;
}

/** Seconds since 1970 of the commit: the time of everything that is packed. */
export function epochSecondsOf({ stamp }: PackageSource): number {
  return Date.parse(stamp.date) / 1000;
}
