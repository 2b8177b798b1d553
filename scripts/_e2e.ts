import { resolvePlan } from "../src/plan/resolve_plan.ts";
import { runProfile } from "../src/run/run_profile.ts";
import { consoleReport } from "../src/ui/console_report.ts";
const t0 = performance.now();
const opts = JSON.parse(Deno.args[0]);
const plan = await resolvePlan(opts, {
  cores: navigator.hardwareConcurrency,
  cliCommand: "x",
  findModel: () => Promise.resolve("m"),
});
console.log("plan", performance.now() - t0);
const out = await runProfile(plan, { onWarning: (t) => console.log("WARN", t) });
console.log("run", performance.now() - t0);
console.log(
  consoleReport(out.report, {
    width: 120,
    color: true,
    directory: out.directory,
    traceTiming: false,
  }),
  out.exportFailure,
);
