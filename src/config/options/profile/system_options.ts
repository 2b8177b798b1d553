import { SECONDS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";
import type { Settings } from "../settings.ts";

const SYSTEMS = "Other systems";

/** The systems, one of which must be named for the options of exports. */
const ALL = ["otlp", "mlflowTrackingUri", "textfile"] as const;

/** Group of options that require a tracking server. */
const MLFLOW = { group: SYSTEMS, needs: ["mlflowTrackingUri"] } as const;
const OTLP = { group: SYSTEMS, needs: ["otlp"] } as const;

/**
 * Where the results of a run go besides its files; names and aliases are AIPerf's where it has
 * some.
 */
export const SYSTEM_OPTIONS = {
  textfile: {
    kind: "text",
    group: SYSTEMS,
    help: "File for the textfile collector of Prometheus node_exporter",
    value: "file",
    completes: "file",
    mistakenFor: ["prometheus-textfile", "textfile-collector"],
    example: "--textfile /var/lib/node_exporter/inferometer.prom",
  },
  otlp: {
    kind: "text",
    aliases: ["otel-url"],
    group: SYSTEMS,
    help: "OpenTelemetry collector for request metrics and traces (OTLP over HTTP)",
    value: "url",
    secret: "url",
    mistakenFor: ["otel", "otlp-url", "otlp-endpoint", "otel-endpoint"],
    example: "--otlp http://collector:4318",
  },
  otlpHeader: {
    kind: "texts",
    ...OTLP,
    help: "Header sent to the collector, such as an API key",
    value: "header",
    secret: "header",
    single: true,
    mistakenFor: ["otlp-headers", "otel-headers"],
    example: '--otlp collector:4318 --otlp-header "Authorization: Bearer $KEY"',
  },
  otlpTraces: {
    kind: "number",
    ...OTLP,
    help: "Fraction of requests whose traces are exported after the run; 0 for none",
    value: "share",
    min: 0,
    max: 1,
    default: 1,
    defaultText: "1: all",
    example: "--otlp collector:4318 --otlp-traces 0.1",
  },
  otlpInterval: {
    ...SECONDS,
    ...OTLP,
    help: "Interval between metric exports during the run",
    min: 0.1,
    max: 3600,
    default: 10,
  },
  otlpStream: {
    kind: "texts",
    ...OTLP,
    aliases: ["stream"],
    help: "Data exported during the run; none: everything afterwards",
    value: "signal",
    choices: ["metrics", "none"],
    synonyms: { "timing": "metrics", "default": "metrics" },
    words: true,
    default: ["metrics"],
    example: "--otlp collector:4318 --otlp-stream none",
  },
  otelResourceAttributes: {
    kind: "texts",
    ...OTLP,
    aliases: ["otlp-resource-attributes"],
    help: "Attributes of all data sent to the collector",
    value: "key=value",
    single: true,
    example: "--otlp collector:4318 --otel-resource-attributes team=infra,cluster=a",
  },
  genAiProvider: {
    kind: "text",
    ...OTLP,
    help: "Provider name in exported data (gen_ai.provider.name)",
    value: "name",
    defaultText: "openai, the name of the API",
    example: "--otlp collector:4318 --gen-ai-provider vllm",
  },
  mlflowTrackingUri: {
    kind: "text",
    group: SYSTEMS,
    help: "MLflow tracking server that gets settings, results and files after the run",
    value: "url",
    secret: "url",
    mistakenFor: ["mlflow", "mlflow-uri", "mlflow-url"],
    example: "--mlflow-tracking-uri http://mlflow:5000",
  },
  mlflowExperiment: {
    kind: "text",
    ...MLFLOW,
    help: "MLflow experiment; created if missing",
    value: "name",
    default: "inferometer",
    example: "--mlflow-tracking-uri http://mlflow:5000 --mlflow-experiment llama",
  },
  mlflowRunName: {
    kind: "text",
    ...MLFLOW,
    help: "Name of the MLflow run",
    value: "name",
    defaultText: "the folder name of the run",
  },
  mlflowTag: {
    kind: "texts",
    ...MLFLOW,
    help: "Tag of the MLflow run, key:value; several with commas, or as a JSON object",
    value: "key:value",
    secret: "fields",
    single: true,
    example: "--mlflow-tracking-uri http://mlflow:5000 --mlflow-tag gpu:h100,team:infra",
  },
  mlflowParentRunId: {
    kind: "text",
    ...MLFLOW,
    help: "Parent MLflow run",
    value: "id",
  },
  mlflowArtifactGlob: {
    kind: "texts",
    ...MLFLOW,
    help: "Files uploaded to MLflow, as patterns: * within a folder, ** at any depth",
    value: "pattern",
    words: true,
    default: ["*"],
    defaultText: "*: all except those in run/",
    example: "--mlflow-tracking-uri http://mlflow:5000 --mlflow-artifact-glob '*.json' '*.html'",
  },
  mlflowToken: {
    kind: "text",
    ...MLFLOW,
    help: "Bearer token for the tracking server",
    value: "token",
    secret: "value",
    mistakenFor: ["mlflow-tracking-token"],
  },
  exportTimeout: {
    ...SECONDS,
    group: SYSTEMS,
    help: "Timeout for exporting results at the end of the run",
    exclusive: true,
    max: 86_400,
    needs: ALL,
    default: 60,
  },
} as const satisfies OptionTable;

/** The options of other systems, checked, defaults filled in. */
export type SystemSettings = Settings<typeof SYSTEM_OPTIONS>;
