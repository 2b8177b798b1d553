import type { JudgedRun } from "../../config/gate/judged_run.ts";
import type { JudgedServers, ServerFigures } from "../../config/gate/server_figure.ts";
import { truthFigures } from "../../config/gate/truth_figure.ts";
import type {
  SamplingErrors,
  StatisticSampling,
} from "../../measurement/sampling/sampling_errors.ts";
import type { Selector } from "../../telemetry/engines/role_series.ts";
import { isShare, type RoleName, type ShareName, SHARES } from "../../telemetry/engines/roles.ts";
import { agentFigures, undecidedMetrics, withAgents } from "./agent_figures.ts";
import { answerFigures } from "./answer_figures.ts";
import { answerIntervals } from "./answer_intervals.ts";
import { answersObject } from "./answers_report.ts";
import { clientFigures } from "./client_figures.ts";
import type { ProfileReport } from "./profile_report.ts";
import { serverTruthObject } from "./server_truth_object.ts";
import { judgedWindow, shownWindow } from "./shown_window.ts";
import type { ServerFiguresOfPart, ServerMetricsReport } from "./server_metrics_report.ts";
import { shownServers } from "./shown_servers.ts";
import type { SeriesReport } from "./series_report.ts";
import type { ServerRoles } from "./server_roles.ts";

/** A run as gates see it. */
export function judgedRun(
  report:
    & Pick<ProfileReport, "results" | "measurementError" | "gpu">
    & Partial<
      Pick<
        ProfileReport,
        | ("answers" | "sampling" | "steady" | "isWholeRunShown" | "serverTruth")
        | ("sessions" | "agentSampling")
      >
    >,
  metrics: ServerMetricsReport | undefined,
): JudgedRun {
  const { gpu } = report;
  const shown = shownWindow(report);
  const answers = answersObject(report.answers)["answers"];
  const { results } = shown;
  return {
    client: new Map([
      ...clientFigures(results),
      ...answerFigures(answers),
      ...agentFigures(report.sessions),
    ]),
    undecided: undecidedMetrics(report.sessions),
    server: metrics && judgedServers(shownServers(metrics, report)),
    gpu: gpu && gpuFigures(gpu),
    truth: truthFigures(serverTruthObject(report.serverTruth)["server_truth"]),
    ...withAnswers(withSessions(judgedWindow(shown), report), answers),
  };
}

/** With the confidence intervals by depth and by kind of agent. */
function withSessions(
  window: ReturnType<typeof judgedWindow>,
  { agentSampling }: Pick<Partial<ProfileReport>, "agentSampling">,
): ReturnType<typeof judgedWindow> {
  return (agentSampling?.size ?? 0) === 0
    ? window
    : { ...window, sampling: withAgents(window.sampling, agentSampling) };
}

/** With the confidence intervals of the values of the key `answers`. */
function withAnswers(
  window: ReturnType<typeof judgedWindow>,
  answers: Readonly<Record<string, unknown>> | undefined,
): ReturnType<typeof judgedWindow> {
  const intervals = Object.entries(answerIntervals(answers));
  if (intervals.length === 0) return window;
  const sampling = new Map<string, Partial<Record<string, StatisticSampling>>>(
    window.sampling ?? [],
  );
  for (const [tag, { avg }] of intervals) {
    sampling.set(tag, { "avg": { ...avg, verdict: "proven" } });
  }
  return { ...window, sampling: sampling as unknown as SamplingErrors };
}

/** The servers of a run as gates see them. */
export function judgedServers(servers: ServerFiguresOfPart): JudgedServers {
  const { roles } = servers;
  return {
    // Found only if an objective names a metric of its own: there may be very many series.
    get series() {
      const all = [...servers.series.map(seriesFigures), ...lateFigures(roles)];
      return all.map((figures) => ({ ...figures, labels: withPlace(figures, roles) }));
    },
    role: (name, selector) => roleFigures(roles, name, selector),
  };
}

/** Labels of a series, and those by which objectives name its pool and its layer. */
function withPlace(
  { name, labels, endpointUrl }: PlacedFigures,
  roles: ServerRoles,
): PlacedFigures["labels"] {
  const { layer, pool } = roles.placeOf({ name, labels, endpointUrl });
  const known = new Set(labels.map(([label]) => label));
  const place = layer === "front" ? "front" : pool;
  const extra: (readonly [string, string])[] = [
    ...(place === undefined || known.has("role") ? [] : [["role", place] as const]),
    ...(layer === undefined || known.has("layer") ? [] : [["layer", layer] as const]),
  ];
  return extra.length === 0 ? labels : [...labels, ...extra];
}

/** Values of a series, and where it is from. */
interface PlacedFigures extends ServerFigures {
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly endpointUrl: string;
}

function lateFigures(roles: ServerRoles): PlacedFigures[] {
  return roles.lateLevels.map(({ series, level: { stats, lateSeconds } }) => {
    const { endpointUrl, labels, name, samples } = series;
    const unit = samples?.identity.unit ?? null;
    return { ...seriesFigures({ endpointUrl, labels, name, unit, stats }), lateSeconds };
  });
}

function seriesFigures(
  { name, unit, stats, bounds = {}, endpointUrl, labels }: Pick<
    SeriesReport,
    "name" | "unit" | "stats" | "bounds" | "endpointUrl" | "labels"
  >,
): PlacedFigures {
  const series = seriesText(endpointUrl, labels);
  return { name, unit, stats, bounds, labels, endpointUrl, series };
}

function roleFigures(
  roles: ServerRoles,
  name: RoleName | ShareName,
  selector: Selector,
): ServerFigures | undefined {
  if (isShare(name)) {
    const share = roles.share(name, { selector });
    return share === undefined
      ? undefined
      : { name, unit: SHARES[name].plus ? null : "ratio", stats: { "avg": share }, series: name };
  }
  const figure = roles.figure(name, { selector });
  if (figure === undefined) return undefined;
  const { unit, stats, bounds = {}, instances, lateSeconds } = figure;
  return { name, unit, stats, bounds, instances, lateSeconds, series: figure.engines.join(", ") };
}

/** Returns the metrics of each GPU, then the totals per GPU vendor. */
function gpuFigures({ report, efficiency }: NonNullable<ProfileReport["gpu"]>): ServerFigures[] {
  return [
    ...report.endpoints.flatMap(({ url, gpus }) =>
      gpus.flatMap(({ identity, figures }) =>
        figures.map(({ field: { key, unit }, stats }) => ({
          ...{ name: key, unit, stats: numbersOf(stats) },
          series: gpuText(identity.index, url),
        }))
      )
    ),
    ...efficiency.map(({ tag, unit, value }) => efficiencyFigure(tag, unit, value)),
  ];
}

function numbersOf(stats: object): Record<string, number> {
  return Object.fromEntries(Object.entries(stats).map(([name, value]) => [name, Number(value)]));
}

/** Returns a metric of all GPUs of a vendor. */
export function efficiencyFigure(tag: string, unit: string, value: number): ServerFigures {
  return { name: tag, unit, stats: { "avg": value }, series: tag.split("_")[0] ?? tag };
}

/** Which GPU it is, where there are several. */
export function gpuText(index: number, place: string): string {
  return `GPU ${index} of ${place}`;
}

/** A series by its endpoint and its labels. */
export function seriesText(
  endpointUrl: string,
  labels: readonly (readonly [name: string, value: string])[],
): string {
  const pairs = labels.map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? endpointUrl : `${endpointUrl} {${pairs.join(",")}}`;
}
