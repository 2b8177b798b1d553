/**
 * The variables of the environment that the product may read, as `--allow-env` takes them. All
 * others read as if they were not set, in the executable and wherever it names its own flags.
 *
 * The runtime itself reads some, whatever the permissions: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and
 * NO_PROXY with `--transport fetch`, SSLKEYLOGFILE, and NODE_EXTRA_CA_CERTS. OTEL_DENO applies only
 * under `deno run`: in an executable it was fixed, to off, when it was compiled.
 */
export const ENVIRONMENT_VARIABLES: readonly string[] = [
  "INFEROMETER_*",
  "AIPERF_*",
  // Where the local cache of a model hub is, and the hub; see `src/config/hub/hub_settings.ts`.
  ...["HF_HOME", "HF_HUB_CACHE", "HF_ENDPOINT", "HF_TOKEN", "HF_HUB_OFFLINE"],
  ...["XDG_CACHE_HOME", "HOME", "USERPROFILE"],
  // Where the calibration of this machine is kept; see `src/measurement/calibration/calibration_path.ts`.
  "XDG_CONFIG_HOME",
  // Which part of a run this process has, from what started it; see `src/config/shard/shard_identity.ts`.
  ...["SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"],
  ...["SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "JOB_COMPLETION_INDEX"],
  ...["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE"],
  ...["MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "PMIX_RANK"],
  // The same for `--shard-env`: what launchers without a name of their own set.
  ...["RANK", "WORLD_SIZE", "NODE_RANK", "NNODES", "GROUP_RANK", "GROUP_WORLD_SIZE"],
  ...["LOCAL_RANK", "LOCAL_WORLD_SIZE", "LWS_WORKER_INDEX", "LWS_GROUP_SIZE"],
  ...["FLUX_TASK_RANK", "FLUX_JOB_SIZE", "PALS_RANKID", "PALS_NRANKS"],
  ...["JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"],
  ...["PBS_ARRAY_INDEX", "PBS_TASKNUM", "PBS_NP", "LSB_JOBINDEX", "LSB_JOBINDEX_END"],
  ...["SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NODEID", "SLURM_NNODES", "SLURM_JOB_NUM_NODES"],
  ...["SLURM_STEP_NUM_NODES", "SGE_TASK_ID", "SGE_TASK_LAST", "AWS_BATCH_JOB_ARRAY_INDEX"],
  ...["AWS_BATCH_JOB_ARRAY_SIZE", "AWS_BATCH_JOB_NODE_INDEX", "AWS_BATCH_JOB_NUM_NODES"],
  ...["BATCH_TASK_INDEX", "BATCH_TASK_COUNT", "CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT"],
  ...["SHARD_INDEX", "SHARD_COUNT", "SHARD_ID", "NUM_SHARDS", "INDEX", "COUNT"],
  // How wide and how colourful the terminal is.
  "COLUMNS",
  "TERM",
  "NO_COLOR",
  "FORCE_COLOR",
  // Where a job of GitHub Actions shows what its gates came to.
  "GITHUB_STEP_SUMMARY",
  // Where `--transport fetch` sends requests, to say so.
  ...["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"],
  ...["all_proxy", "http_proxy", "https_proxy", "no_proxy"],
];
