import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { installTool } from "../../../../test/tools.ts";

/** One release of the official suite, which plays a server for each scenario and judges the client. */
interface Referee {
  readonly version: string;
  /** Whether the suite has a scenario for these versions of the protocol. */
  readonly isRun: (versions: readonly string[]) => boolean;
  readonly options: readonly string[];
  /** The scenarios that aren't passed, each with the reason. */
  readonly notPassed: Readonly<Record<string, string>>;
}

const DPOP = "an optional extension: the client has it, but the login of this test makes no proofs";
const SKILLS = "an optional extension: this package has tools, resources and prompts, and no skills";

const REFEREES: Readonly<Record<string, Referee>> = {
  "the older generation": {
    version: "0.1.16",
    isRun: () => true,
    options: [],
    notPassed: {
      "auth/2025-03-26-oauth-metadata-backcompat":
        "the suite's metadata name another issuer than their address, and the client refuses that (RFC 8414, 3.3); the alpha has corrected it",
    },
  },
  "the older generation, by the newer suite": {
    version: "0.2.0-alpha.12",
    isRun: (versions) => versions.some((version) => version < "2026") && !versions.includes("2026-07-28"),
    options: [],
    notPassed: {},
  },
  "the generation 2026-07-28": {
    version: "0.2.0-alpha.12",
    isRun: (versions) => versions.includes("2026-07-28"),
    options: ["--spec-version", "2026-07-28"],
    notPassed: {},
  },
  "the extensions": {
    version: "0.2.0-alpha.12",
    isRun: (versions) => versions.includes("extension"),
    options: [],
    notPassed: {
      "auth/dpop": DPOP,
      "auth/dpop-nonce": DPOP,
      "auth/wif-jwt-bearer": "an optional extension that the client doesn't have",
      "sep-2640-client-no-prefetch": SKILLS,
      "sep-2640-client-verify-digest": SKILLS,
      "sep-2640-client-verify-size": SKILLS,
      "sep-2640-client-verify-frontmatter": SKILLS,
    },
  },
};

/** The suite needs a newer Node than this repository. The client runs on the one that runs the test. */
const installNode = async (): Promise<string> => {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  return join(await installTool(name, "22.23.3"), name, "bin", "node");
};

/** `  - auth/dpop [extension]` after the line that begins the list of clients' scenarios. */
const SCENARIO = /^ {2}- (\S+) \[(.*)\]$/gm;

describe.each(Object.entries(REFEREES))("%s", (_, { version, isRun, options, notPassed }) => {
  let node: string;
  let suite: string;
  let client: string;
  let folder: string;

  beforeAll(async () => {
    node = await installNode();
    const modules = await installTool("@modelcontextprotocol/conformance", version);
    suite = join(modules, "@modelcontextprotocol/conformance/dist/index.js");
    const program = await bundleProcess(new URL("../support/conformance-child.ts", import.meta.url));
    client = `${process.execPath} ${program}`;
    folder = await mkdtemp(join(tmpdir(), "jaf-conformance-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const runSuite = (...args: readonly string[]) =>
    promisify(execFile)(node, [suite, ...args], { cwd: folder, timeout: 120_000 });

  /** Returns why a scenario isn't passed; `undefined` if it is. A scenario without a single check isn't. */
  async function fault(scenario: string): Promise<string | undefined> {
    const args = ["client", "--command", client, "--scenario", scenario, "--timeout", "60000", ...options];
    const { stdout, stderr } = await runSuite(...args).catch(
      (thrown: { readonly stdout: string; readonly stderr: string }) => thrown,
    );
    const [, passed, failed] = /Passed: (\d+)\/\d+, (\d+) failed/.exec(stdout + stderr) ?? [];
    return Number(passed) > 0 && failed === "0" ? undefined : `${passed} passed, ${failed} failed`;
  }

  it("is spoken as the suite wants it", { timeout: 600_000 }, async () => {
    const { stdout } = await runSuite("list");
    const [, listed = ""] = stdout.split("Client scenarios");
    const [ofClients = ""] = listed.split("Authorization server scenarios");
    const scenarios = [...ofClients.matchAll(SCENARIO)]
      .filter(([, , versions = ""]) => isRun(versions.split(",")))
      .map(([, name = ""]) => name);
    expect(scenarios.length).toBeGreaterThan(0);
    const faults: Record<string, string> = {};
    // One after the other: the suite's own limits of time are short for a busy machine.
    for (const scenario of scenarios) {
      const found = await fault(scenario);
      if (found !== undefined) faults[scenario] = found;
    }
    const expected = Object.keys(notPassed).sort();
    console.log(
      [
        `${version}: ${scenarios.length - Object.keys(faults).length} of ${scenarios.length} scenarios are passed.`,
        ...Object.entries(faults).map(
          ([name, why]) => `- ${name}: ${why}; ${notPassed[name] ?? "unexpected"}`,
        ),
      ].join("\n"),
    );
    expect(Object.keys(faults).sort(), JSON.stringify(faults)).toEqual(expected);
  });
});
