import { mockOptionsOf } from "../../src/cli/commands/mock_command.ts";
import type { EndpointType } from "../../src/client/endpoint/protocol/endpoint_type.ts";
import { MOCK_OPTIONS } from "../../src/config/options/commands/mock_options.ts";
import { defaultMockOptions, type MockOptions } from "../../src/mock/mock_options.ts";
import { MockServer } from "../../src/mock/mock_server.ts";
import type { MockStats } from "./mock_process.ts";
import { parseOptions } from "./parse_options.ts";

/** A mock server in this process, and its view of what it did. */
export interface LocalMock extends Disposable {
  readonly server: MockServer;
  readonly url: string;
  readonly port: number;
  stats(): Promise<MockStats>;
}

/** Starts one as `inferometer mock` does, but for a process of its own, which takes longer. */
export async function startLocalMock(
  args: readonly string[] = [],
  options: Partial<MockOptions> = {},
): Promise<LocalMock> {
  const asked = await mockOptionsOf(await parseOptions(MOCK_OPTIONS, args));
  return localMock(await MockServer.start({ ...asked, ...options }));
}

function localMock(server: MockServer): LocalMock {
  return {
    server,
    url: server.url,
    port: server.port,
    async stats() {
      const response = await fetch(`${server.url}/mock/stats?requests=1`);
      return await response.json();
    },
    [Symbol.dispose]: () => server.close(),
  };
}

/** Runs a test against a mock server that answers at once but for the given options. */
export async function withMock(
  { types, ...options }: Partial<MockOptions> & { readonly types?: Iterable<EndpointType> },
  test: (mock: LocalMock) => Promise<void>,
): Promise<void> {
  using mock = localMock(await MockServer.start({ ...defaultMockOptions(), ...options }, types));
  await test(mock);
}
