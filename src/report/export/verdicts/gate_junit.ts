import type { GateResult } from "../../../config/gate/judge_slos.ts";
import type { RunTag } from "../../../config/plan/run_plan.ts";

/** `junit.xml`: each gate as a test case, in the form that CI servers read. */
export function gateJunit(gates: readonly GateResult[], tags: readonly RunTag[] = []): string {
  const failures = gates.filter(({ met }) => !met).length;
  const counts = `tests="${gates.length}" failures="${failures}" errors="0" skipped="0" time="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="inferometer" ${counts}>`,
    `  <testsuite name="inferometer gates" ${counts}>`,
    ...properties(tags),
    ...gates.flatMap(testCase),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

/** Labels of the run, where CI servers look for such. */
function properties(tags: readonly RunTag[]): string[] {
  if (tags.length === 0) return [];
  return [
    "    <properties>",
    ...tags.map(([name, value]) =>
      `      <property name="${xmlText(name)}" value="${xmlText(value)}"/>`
    ),
    "    </properties>",
  ];
}

function testCase(
  { conclusive, condition, found, kind, met, name, remark, requestsNeeded }: GateResult,
): string[] {
  const head = `    <testcase classname="inferometer.${kind}" ` +
    `name="${xmlText(`${name} ${condition}`)}" time="0"`;
  const said = xmlText(remark === undefined ? found : `${found}; ${remark}`);
  return [
    `${head}>`,
    "      <properties>",
    `        <property name="conclusive" value="${conclusive}"/>`,
    ...(requestsNeeded === undefined
      ? []
      : [`        <property name="requests_needed" value="${requestsNeeded}"/>`]),
    "      </properties>",
    met
      ? `      <system-out>${said}</system-out>`
      : `      <failure type="${kind}" message="${said}"/>`,
    "    </testcase>",
  ];
}

/** Any text within an attribute or an element; XML has no way to write most control characters. */
function xmlText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]+/gu, " ").replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
