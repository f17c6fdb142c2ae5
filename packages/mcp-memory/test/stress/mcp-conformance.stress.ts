import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { installTool } from "../../../../test/tools.ts";
import { startHttp } from "../support/http-server.ts";

/** The suite needs a newer Node than this repository. */
const installNode = async (): Promise<string> => {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  return join(await installTool(name, "22.23.3"), name, "bin", "node");
};

interface Referee {
  readonly version: string;
  readonly options: readonly string[];
  /** The scenarios of which most checks need no tools, resources or prompts of the suite's own example server. */
  readonly scenarios: readonly string[];
}

const referees: readonly Referee[] = [
  {
    version: "0.1.16",
    options: [],
    scenarios: ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
  },
  {
    version: "0.2.0-alpha.12",
    options: ["--spec-version", "2025-11-25"],
    scenarios: ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
  },
  {
    version: "0.2.0-alpha.12",
    options: ["--spec-version", "2026-07-28"],
    scenarios: [
      ...["tools-list", "dns-rebinding-protection", "server-sse-multiple-streams"],
      ...["http-header-validation", "server-stateless", "sep-2164-resource-not-found"],
      "input-required-result-unsupported-methods",
    ],
  },
];

it.each(referees)("passes the official scenarios of $version $options", async (referee) => {
  const { version, options, scenarios } = referee;
  const node = await installNode();
  const modules = await installTool("@modelcontextprotocol/conformance", version);
  const suite = join(modules, "@modelcontextprotocol/conformance/dist/index.js");
  const folder = await mkdtemp(join(tmpdir(), "jaf-conformance-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // The suite sends no token.
  const { url } = await startHttp({ everyone: "ada" });
  for (const scenario of scenarios) {
    const args = ["server", "--url", url, "--scenario", scenario, ...options];
    const { stdout, stderr } = await promisify(execFile)(node, [suite, ...args], {
      ...{ cwd: folder, timeout: 120_000 },
    }).catch((thrown: { readonly stdout: string; readonly stderr: string }) => thrown);
    const [, passed, failed] = /Passed: (\d+)\/\d+, (\d+) failed/.exec(stdout + stderr) ?? [];
    console.log(`${version} ${options.at(-1) ?? ""} ${scenario}: ${passed} passed, ${failed} failed`);
    expect(Number(passed), scenario).toBeGreaterThan(0);
    // Checks that call tools of the suite's own example server, which the suite counts as failed.
    const untestable =
      stdout.match(/^ *Error: Not testable: server does not list the diagnostic tool/gm) ?? [];
    expect(Number(failed), `${scenario}\n${stdout}`).toBe(untestable.length);
  }
});
