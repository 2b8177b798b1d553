import { copiedEndpoints } from "../../telemetry/engines/same_process.ts";
import type { EndpointSeries } from "../../telemetry/timeseries/endpoint_series.ts";

/** An endpoint and what it reported. */
interface Endpoint {
  /** The URL without secrets. */
  readonly url: string;
  readonly series: EndpointSeries;
}

/** The endpoints without those that show the process of an earlier one, and a note for each of these. */
export function distinctEndpoints<E extends Endpoint>(
  endpoints: readonly E[],
): { readonly endpoints: readonly E[]; readonly notes: readonly string[] } {
  const copies = copiedEndpoints(endpoints.map(({ series }) => series));
  return {
    endpoints: endpoints.filter((_, index) => copies[index] === undefined),
    notes: endpoints.flatMap(({ url }, index) => {
      const original = copies[index];
      return original === undefined
        ? []
        : [`${url} shows the process of ${endpoints[original]?.url}, which counts once`];
    }),
  };
}
