import { environmentVariable } from "../../options/environment_variable.ts";
import { redactedUrlText } from "../../secrets/url_secrets.ts";
import type { Target } from "../run_plan.ts";

/**
 * A sentence for each server that `fetch` asks through a proxy of the environment: the runtime does
 * so itself, whatever the permissions.
 * @param variable reads the environment
 */
export function proxyNotices(
  targets: readonly Pick<Target, "origin">[],
  variable: (name: string) => string | undefined = environmentVariable,
): string[] {
  const read = (name: string): string => variable(name) || variable(name.toLowerCase()) || "";
  const exceptions = read("NO_PROXY").split(",").map((entry) => entry.trim().toLowerCase());
  const notices = targets.flatMap(({ origin: { protocol, hostname, host } }) => {
    const isExcepted = exceptions.some((entry) =>
      entry === "*" || entry === hostname ||
      (entry !== "" && hostname.endsWith(`.${entry.replace(/^\*?\./, "")}`))
    );
    if (isExcepted) return [];
    // In the runtime's order.
    const name = ["ALL_PROXY", protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY"]
      .find((name) => read(name) !== "");
    if (name === undefined) return [];
    const doubt = exceptions.join("") === "" ? "" : " unless NO_PROXY excludes it";
    return [
      `Requests to ${host} go through the proxy ${redactedUrlText(read(name))} of ${name}${doubt}`,
    ];
  });
  return [...new Set(notices)];
}
