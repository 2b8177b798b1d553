/** Checklist before results are published, and how to repeat the run. */

import { escapedMarkup } from "../../core/chart/markup.ts";
import { itemMark } from "../console/answers.ts";
import { publishability } from "../model/publish_checklist.ts";
import { commandBlock } from "./command_block.ts";
import type { RunView } from "./run_view.ts";
import { startText } from "./run_head.ts";
import { unbroken } from "./unbroken.ts";
import { mark } from "./verdict_mark.ts";

/** The checklist; a sentence if single requests are not known. */
export function publishPart({ report, source }: RunView): string {
  const who = source === undefined
    ? ""
    : `<p class="lead">Measured by ${
      escapedMarkup(source)
    }, which does not report its own error.</p>`;
  if (report.sampling === undefined) {
    return `${who}<p>Single requests are not known, so intervals and verdicts are not either.</p>\n`;
  }
  const items = publishability(report).checklist.map((item) =>
    `<li>${mark(itemMark(item), { word: item.isMet ? "met" : "open" })}<span>${
      item.name.charAt(0).toUpperCase()
    }${item.name.slice(1)}<small>${escapedMarkup(unbroken(item.text))}</small></span></li>`
  );
  return `${who}<ul class="checks">${items.join("")}</ul>\n`;
}

/** Command and seed, and where and when it ran. */
export function repeatPart({ environment, keepsRecords, report, source }: RunView): string {
  const { benchmarkId, cliCommand, clientHealth: { cores, cpuCores }, seed } = report;
  const again = keepsRecords
    ? "Regenerate these files with inferometer report."
    : "These files cannot be regenerated: records were not kept (--no-records).";
  const program = environment.find(([name]) => name === "program")?.[1];
  const used = Number.isNaN(cpuCores) ? "" : `, ${cpuCores.toFixed(2)} used`;
  const facts: [string, string][] = [
    ["Measured", startText(report)],
    ...(program === undefined
      ? []
      : [["Client", `${program}, ${cores} cores${used}`] as [string, string]]),
    ["Run", benchmarkId],
  ];
  return [
    `<p class="lead">${
      source === undefined
        ? `The seed ${seed} repeats prompts, lengths and arrivals. ${again}`
        : `The files are those of ${
          escapedMarkup(source)
        }; inferometer report built this page from them.`
    }</p>`,
    commandBlock(cliCommand),
    `<dl class="facts">${
      facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escapedMarkup(value)}</dd></div>`)
        .join("")
    }</dl>\n`,
  ].join("");
}
