/** Where the time to first token of a prefill/decode pair goes, by the order in which both get requests. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { type PairDispatch, startPair } from "../support/pair_server.ts";
import { runCli } from "../support/run_cli.ts";

const REQUESTS = 30;

for (const dispatch of ["sequential", "concurrent"] as const satisfies readonly PairDispatch[]) {
  Deno.test(`a pair with ${dispatch} dispatch has a TTFT whose parts add up`, () =>
    withFolder(async (folder) => {
      await using pair = startPair(dispatch);
      const { url } = pair;
      const { code, stderr, stdout } = await runCli([
        ...["profile", "--url", url, "--model", "m", "--streaming", "--isl", "20", "--osl", "5"],
        ...["--request-count", String(REQUESTS), "--concurrency", "2", "--artifact-dir", folder],
        ...["--server-metrics", `${url}/prefill/metrics`, `${url}/decode/metrics`],
        ...["--server-metrics-interval", "100ms", "--server-metrics-flush-period", "0.3"],
      ]);
      assert.equal(code, 0, stderr);
      const summary = JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
      const { ttft_split_basis: basis, ttft_split_ms: split } = summary["server_truth"];
      assert.equal(basis.dispatch, dispatch);
      assert.equal(basis["client_ms"], summary["time_to_first_token"].avg);
      const ms = (seconds: number): number => seconds / REQUESTS * 1e3;
      const { decode, prefill } = pair;
      const isSequential = dispatch === "sequential";
      const last = isSequential ? ms(decode.ttft) : ms(decode.ttft - prefill.ttft);
      const expected = {
        ...{ queue: ms(prefill.queue), prefill: ms(prefill.prefill), "engine_rest": 0 },
        "kv_transfer_and_first_decode_step": last,
        "network_and_front": basis["client_ms"] -
          ms(isSequential ? prefill.ttft + decode.ttft : decode.ttft),
      };
      for (const [name, value] of Object.entries(expected)) {
        assert.ok(
          Math.abs(split[name] - value) < 1e-6,
          `${name}: ${split[name]} instead of ${value}`,
        );
      }
      const line = stdout.replaceAll(/\n {8}/g, " ");
      assert.match(line, new RegExp(`^TTFT .*${dispatch} dispatch to prefill and decode`, "m"));
      assert.doesNotMatch(stdout, /other clients/);
    }));
}
