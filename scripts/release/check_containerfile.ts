import { TARGETS } from "../compile/targets.ts";

/** Looks for what a container file of this product must have; returns what is wrong. */
export function checkContainerfile(text: string): string[] {
  const joined = text.replace(/\\\n/g, " ");
  const lines = joined.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const argumentsOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const problems = lines
    .filter((line) => !/^(FROM|ARG|LABEL|COPY|USER|WORKDIR|ENTRYPOINT|CMD) /.test(line))
    .map((line) => `Containerfile: unexpected "${line}"`);
  const copied = argumentsOf("COPY").flatMap((words) => words.split(/\s+/).slice(0, -1))
    .filter((word) => !word.startsWith("--"));
  const packed = TARGETS.some(({ os }) => os === "linux") ? "inferometer-linux-${TARGETARCH}" : "";
  if (copied.join(" ") !== packed) problems.push(`Containerfile: copies ${copied.join(" ")}`);
  if (!argumentsOf("ARG").includes("TARGETARCH")) problems.push("Containerfile: no TARGETARCH");
  if (!["nonroot", "65532"].includes(argumentsOf("USER").at(-1)?.split(":")[0] ?? "root")) {
    problems.push("Containerfile: runs as root");
  }
  for (const name of ["ENTRYPOINT", "CMD"]) {
    try {
      if (!Array.isArray(JSON.parse(argumentsOf(name)[0] ?? ""))) throw new SyntaxError();
    } catch {
      problems.push(`Containerfile: ${name} is no list, so it needs a shell`);
    }
  }
  return problems;
}
