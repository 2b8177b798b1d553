import type { EndpointType } from "../../src/endpoint/endpoint_type.ts";
import { defaultMockOptions, type MockOptions } from "../../src/mock/mock_options.ts";
import { MockServer } from "../../src/mock/mock_server.ts";
import type { MockStats } from "./mock_process.ts";

/** A mock server in this process, and its view of what it did. */
export interface LocalMock {
  readonly server: MockServer;
  readonly url: string;
  stats(): Promise<MockStats>;
}

/** Runs a test against a mock server that answers at once but for the given options. */
export async function withMock(
  { types, ...options }: Partial<MockOptions> & { readonly types?: Iterable<EndpointType> },
  test: (mock: LocalMock) => Promise<void>,
): Promise<void> {
  const server = await MockServer.start({ ...defaultMockOptions(), ...options }, types);
  try {
    await test({
      server,
      url: server.url,
      async stats() {
        const response = await fetch(`${server.url}/mock/stats?requests=1`);
        return await response.json();
      },
    });
  } finally {
    server.close();
  }
}
