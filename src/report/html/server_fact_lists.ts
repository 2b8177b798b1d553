import { escapedMarkup } from "../../core/chart/markup.ts";
import { countText } from "../../core/chart/figure_text.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { serverName } from "../server_info/server_info.ts";
import { factList } from "./page_tables.ts";

/**
 * Returns the facts that the servers reported as collapsible lists; for a server without facts, the
 * requested paths.
 */
export function serverFactLists({ servers }: ProfileReport): string {
  if (servers.length === 0) return "";
  const parts = servers.map((server) => {
    const { url, facts, asked } = server;
    const name = serverName(server);
    const title = `${url}${name === undefined ? "" : `: ${name}`}`;
    const what = facts.length === 0
      ? "it did not say"
      : `${countText(facts.length)} ${facts.length === 1 ? "fact" : "facts"}`;
    return `<details><summary>${escapedMarkup(`${title} (${what})`)}</summary>` +
      `${factList(facts.length === 0 ? asked : facts)}</details>\n`;
  });
  return `<h3>Version and configuration</h3>\n${parts.join("")}`;
}
