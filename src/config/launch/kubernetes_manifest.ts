import { stringify } from "npm:yaml@2.9.1";
import type { KubernetesPlan } from "./launch_plan.ts";

/** ID of the unprivileged user that the pods run as. */
const USER = 65532;
const RESULTS = "/artifacts";
/** Pods get so long to write what they have. */
const GRACE_SECONDS = 30;

/**
 * A manifest for `kubectl apply -f -`: a Secret with the token, a headless Service by which shard 0
 * is found, and an Indexed Job; or a JobSet, which makes its own Service.
 */
export function kubernetesManifest(plan: KubernetesPlan): string {
  const { jobName, port, token } = plan;
  const labels = { "app.kubernetes.io/name": jobName };
  const metadata = { "name": jobName, labels };
  const documents: object[] = [{
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": { "name": secretName(plan), labels },
    "stringData": { "token": token },
  }];
  if (plan.isJobSet) {
    documents.push({
      "apiVersion": "jobset.x-k8s.io/v1alpha2",
      "kind": "JobSet",
      metadata,
      "spec": {
        "network": {
          "enableDNSHostnames": true,
          "subdomain": jobName,
          "publishNotReadyAddresses": true,
        },
        // A shard that begins later would not be part of the load.
        "failurePolicy": { "maxRestarts": 0 },
        "replicatedJobs": [{
          "name": "shard",
          "replicas": 1,
          "template": { "spec": jobSpec(plan, `${jobName}-shard-0-0.${jobName}`, undefined) },
        }],
      },
    });
  } else {
    documents.push({
      "apiVersion": "v1",
      "kind": "Service",
      metadata,
      "spec": {
        "clusterIP": "None",
        // Shard 0 is looked for before it is ready for anything.
        "publishNotReadyAddresses": true,
        "selector": { "batch.kubernetes.io/job-name": jobName },
        "ports": [{ "name": "rendezvous", "port": port }],
      },
    }, {
      "apiVersion": "batch/v1",
      "kind": "Job",
      metadata,
      "spec": jobSpec(plan, `${jobName}-0.${jobName}`, jobName),
    });
  }
  const head = `# Printed by ${plan.product}. Apply it: kubectl apply -f THIS_FILE\n` +
    (plan.secretVariables.length === 0 ? "" : secretNote(plan)) +
    (plan.claim === undefined ? "" : mergeNote(plan));
  // Kubernetes reads YAML 1.1, where yes, off and 12:30 are no texts unless they are quoted.
  const style = { lineWidth: 0, compat: "yaml-1.1" } as const;
  return head + documents.map((document) => stringify(document, style)).join("---\n");
}

function jobSpec(plan: KubernetesPlan, head: string, subdomain: string | undefined): object {
  const { shards, timeLimit } = plan;
  return {
    "completions": shards,
    "parallelism": shards,
    "completionMode": "Indexed",
    // A pod that fails leaves the others alone, and is not begun again: it would come too late.
    "backoffLimitPerIndex": 0,
    ...(timeLimit === undefined ? {} : { "activeDeadlineSeconds": Math.ceil(timeLimit) }),
    "template": {
      "metadata": { "labels": { "app.kubernetes.io/name": plan.jobName } },
      "spec": {
        ...(subdomain === undefined ? {} : { "subdomain": subdomain }),
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "automountServiceAccountToken": false,
        "enableServiceLinks": false,
        "securityContext": {
          "runAsNonRoot": true,
          "runAsUser": USER,
          "runAsGroup": USER,
          "fsGroup": USER,
          "seccompProfile": { "type": "RuntimeDefault" },
        },
        "topologySpreadConstraints": [{
          "maxSkew": 1,
          "topologyKey": "kubernetes.io/hostname",
          "whenUnsatisfiable": "ScheduleAnyway",
          "labelSelector": { "matchLabels": { "app.kubernetes.io/name": plan.jobName } },
        }],
        "containers": [container(plan, head)],
        "volumes": [
          {
            "name": "artifacts",
            ...(plan.claim === undefined
              ? { "emptyDir": {} }
              : { "persistentVolumeClaim": { "claimName": plan.claim } }),
          },
          { "name": "tmp", "emptyDir": {} },
        ],
      },
    },
  };
}

function container(plan: KubernetesPlan, head: string): object {
  const resources = { "cpu": String(plan.cpus), "memory": plan.memory };
  const fromSecret = (name: string, secret: string, key: string) => ({
    "name": name,
    "valueFrom": { "secretKeyRef": { "name": secret, "key": key } },
  });
  return {
    "name": "inferometer",
    "image": plan.image,
    "args": [
      "profile",
      ...["--shard", "k8s", "--rendezvous", `${head}:${plan.port}`],
      ...["--artifact-dir", plan.artifactDir ?? RESULTS],
      ...["--random-seed", String(plan.seed ?? plan.freshSeed)],
      ...(plan.claim === undefined && !plan.runWords.includes("--collect") ? ["--collect"] : []),
      ...plan.runWords.map(escapedVariable),
    ],
    "env": [
      { "name": "INFEROMETER_SHARDS", "value": String(plan.shards) },
      fromSecret("INFEROMETER_RENDEZVOUS_TOKEN", secretName(plan), "token"),
      { "name": "HOME", "value": "/tmp" },
      ...plan.secretVariables.map((name) => fromSecret(name, `${plan.jobName}-secrets`, name)),
    ],
    "ports": [{ "name": "rendezvous", "containerPort": plan.port }],
    "resources": { "requests": resources, "limits": { "memory": plan.memory } },
    "securityContext": {
      "allowPrivilegeEscalation": false,
      "readOnlyRootFilesystem": true,
      "capabilities": { "drop": ["ALL"] },
    },
    "volumeMounts": [
      { "name": "artifacts", "mountPath": plan.artifactDir ?? RESULTS },
      { "name": "tmp", "mountPath": "/tmp" },
    ],
  };
}

/** Kubernetes puts variables in the place of `$(NAME)`. */
function escapedVariable(word: string): string {
  return word.replaceAll("$(", "$$(");
}

function secretName({ jobName }: KubernetesPlan): string {
  return `${jobName}-rendezvous`;
}

/**
 * Returns a note on merging: any machine that can read the volume can merge the pods' files into
 * one result.
 */
function mergeNote({ shards }: KubernetesPlan): string {
  return `# Then, in the folder of the claim: inferometer merge . --expect-shards ${shards}\n`;
}

function secretNote({ jobName, secretVariables }: KubernetesPlan): string {
  const literals = secretVariables.map((name) => `--from-literal=${name}="$${name}"`).join(" ");
  return `# First: kubectl create secret generic ${jobName}-secrets ${literals}\n`;
}
