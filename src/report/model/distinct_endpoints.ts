import { copiedEndpoints } from "../../telemetry/engines/same_process.ts";
import type { Place } from "../../telemetry/engines/place.ts";
import type { EndpointSeries } from "../../telemetry/timeseries/endpoint_series.ts";

/** An endpoint and what it reported. */
interface Endpoint {
  /** The URL without secrets. */
  readonly url: string;
  readonly series: EndpointSeries;
  /** Place as the user states it. */
  readonly place?: Place | undefined;
}

/** The endpoints without those that show the process of an earlier one, and a note for each of these. */
export function distinctEndpoints<E extends Endpoint>(
  endpoints: readonly E[],
): { readonly endpoints: readonly E[]; readonly notes: readonly string[] } {
  const copies = copiedEndpoints(endpoints.map(({ series }) => series));
  return {
    endpoints: endpoints.flatMap((endpoint, index): E[] => {
      if (copies[index] !== undefined) return [];
      // A place that is stated for a copy holds for the process.
      const stated = [endpoint, ...endpoints.filter((_, copy) => copies[copy] === index)]
        .find(({ place }) => place !== undefined)?.place;
      return [stated === endpoint.place ? endpoint : { ...endpoint, place: stated }];
    }),
    notes: endpoints.flatMap(({ url }, index) => {
      const original = copies[index];
      return original === undefined
        ? []
        : [`${url} shows the process of ${endpoints[original]?.url}, which counts once`];
    }),
  };
}
