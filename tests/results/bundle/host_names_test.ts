import assert from "node:assert/strict";
import fc from "fast-check";
import { HostNames } from "../../../src/results/bundle/host_names.ts";

function hostsOf(...texts: string[]): HostNames {
  const hosts = new HostNames();
  for (const text of texts) hosts.add(text);
  return hosts;
}

Deno.test("HostNames replaces a host by the same name wherever it stands", () => {
  const hosts = hostsOf("gpu-7.example.com:8000", "10.1.2.3", "[fd00::7]:80", "GPU-7.example.com");
  assert.equal(hosts.count, 3);
  assert.equal(
    hosts.replacedIn(
      "http://gpu-7.example.com:8000/v1 (10.1.2.3:8000, [fd00::7]:80), GPU-7.EXAMPLE.COM. x",
    ),
    "http://host-1:8000/v1 (host-2:8000, [host-3]:80), host-1. x",
  );
});

Deno.test("HostNames leaves alone what only looks alike", () => {
  const hosts = hostsOf("10.1.2.3", "gpu-7.example.com", "vllm");
  for (
    const text of [
      ...["110.1.2.3", "10.1.2.34", "10.1.2.3.4", "my-gpu-7.example.com", "gpu-7.example.com.de"],
      ...["vllm:num_requests_running", "the vllm server", "/models/vllm", "localhost:8000"],
    ]
  ) assert.equal(hosts.replacedIn(text), text);
  assert.equal(
    hosts.replacedIn("http://vllm:8000 at vllm:8000"),
    "http://host-3:8000 at host-3:8000",
  );
});

Deno.test("HostNames knows no names for loopback and for what is none", () => {
  const hosts = hostsOf(
    "localhost",
    "127.0.0.1:8000",
    "[::1]:80",
    "0.0.0.0",
    "",
    "0",
    "a b",
    "8000",
  );
  assert.equal(hosts.count, 0);
  assert.equal(hosts.replacedIn("localhost 127.0.0.1"), "localhost 127.0.0.1");
});

Deno.test("HostNames finds hosts in URLs, addresses, and under keys and labels", () => {
  const hosts = new HostNames();
  const json = JSON.stringify({
    "url": "https://user@api.example.com/x",
    "labels": [["pod", "worker"], ["engine", "worker"]],
    "machine": { "hostname": "vm" },
    "text": "line\nnode9.lan said 192.168.7.7 is away\nhttp://node9.lan",
    "version": "1.2.3",
  });
  hosts.addFrom(json);
  const replaced = JSON.parse(hosts.replacedInJson(json));
  assert.match(replaced.url, /^https:\/\/user@host-\d\/x$/);
  assert.match(replaced.labels[0][1], /^host-\d$/);
  // The same word where no host stands is another one.
  assert.equal(replaced.labels[1][1], "worker");
  assert.match(replaced.machine.hostname, /^host-\d$/);
  assert.match(replaced.text, /^line\nhost-\d said host-\d is away\nhttp:\/\/host-\d$/);
  assert.equal(replaced.version, "1.2.3");
});

Deno.test("HostNames leaves JSON what it is, whatever stands in it", () => {
  const hosts = hostsOf("n1.lan", "vm", "10.0.0.1");
  const word = fc.constantFrom("n1.lan", "10.0.0.1", "hostname", "vm", '"', "\\", "\n", "é", "a");
  const text = fc.array(word).map((words) => words.join(" "));
  fc.assert(fc.property(fc.dictionary(text, fc.array(text)), (value) => {
    const replaced = hosts.replacedInJson(JSON.stringify(value));
    assert.doesNotThrow(() => JSON.parse(replaced));
    assert.doesNotMatch(replaced, /n1\.lan|10\.0\.0\.1/);
    // Twice is once.
    assert.equal(hosts.replacedInJson(replaced), replaced);
  }));
});
