import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createTool, type RunConfig } from "../../packages/core/src/index.ts";
import { type Failure, sharedFailures } from "./failure-table.ts";
import { type ModelApi, raw, type Step } from "./model-api.ts";
import { describeRedirects } from "./redirects.ts";
import { type AnyAgent, configOf, errorOf, rich, runBy, says, WAYS, type Way } from "./run.ts";

/** Short, because it always expires: the service never answers. */
const TIMEOUT_MS = 50;

const HANGS = { kind: "hang" } as const;

interface Asked {
  readonly way: Way;
  readonly agent?: Partial<AnyAgent> | undefined;
  readonly config?: Partial<RunConfig<unknown>>;
}

async function start<Reply>(api: ModelApi<Reply>, steps: readonly Step<Reply>[]) {
  const service = await api.start(steps);
  onTestFinished(service.close);
  return service;
}

/** Runs an agent with a tool `add`, and returns the tool's calls, too. */
async function ask<Reply>(
  api: ModelApi<Reply>,
  service: Awaited<ReturnType<ModelApi<Reply>["start"]>>,
  { way, agent = {}, config: further = {} }: Asked,
) {
  const ran: unknown[] = [];
  const add = createTool({
    name: "add",
    description: "d",
    parameters: z.object({ a: z.number() }),
    execute: async (args) => String(ran.push(args)),
  });
  const { config, events } = configOf(api.provider(service), { tools: [add], ...agent }, further);
  const result = await runBy(way, says("«what was said»"), config);
  return { result, events, ran };
}

const titleOf = ({ name, asked }: Failure<never>): string =>
  `${name} ${asked === 1 ? "isn't called again" : "is called again"}`;

/** Tests each row with a reply in one piece and a streamed one. */
export function describeFailures<Reply>(api: ModelApi<Reply>, own: readonly Failure<Reply>[] = []): void {
  describe.each(WAYS)("for a reply that is %s, a service that", (way) => {
    const table = [...sharedFailures(api), ...own].filter((row) => (row.way ?? way) === way);
    it.each(table.map((row) => [titleOf(row as Failure<never>), row] as const))("%s", async (_, row) => {
      const service = await start(api, row.steps);
      const { result, events, ran } = await ask(api, service, { way, agent: row.agent });
      expect(service.refusals).toEqual([]);
      expect(service.requests).toHaveLength(row.asked);
      if (row.error !== undefined) expect(errorOf(result)).toMatchObject(row.error);
      else expect(result.outcome).toEqual({ status: "completed", output: row.output });
      for (const [type, data] of Object.entries(row.told ?? {}))
        expect(events.find((event) => event.type === type)).toMatchObject({ data });
      if (row.stored !== undefined) expect(rich(result).at(-1)).toMatchObject(row.stored);
      if (row.sent !== undefined) expect(service.requests.at(-1)).toMatchObject(row.sent);
      // No row has a valid call of the tool, and failed attempts aren't stored.
      expect(ran).toEqual([]);
      expect(JSON.stringify(rich(result))).not.toContain("Half");
      const shown = [result.outcome, events.filter(({ type }) => type !== "run_start")];
      expect(JSON.stringify(shown)).not.toMatch(/sk-secret|«/);
    });
  });

  describeRedirects(api);

  describe("a service that never answers", () => {
    it.each<[string, Pick<Asked, "agent" | "config">, readonly Way[]]>([
      ["expires", { agent: { modelConfig: { timeoutMs: TIMEOUT_MS } } }, WAYS],
      ["between two pieces expires", { config: { timeouts: { modelIdleMs: TIMEOUT_MS } } }, ["streamed"]],
    ])("is called again if the time %s", async (_, limits, ways) => {
      const service = await start(api, [HANGS]);
      const runs = await Promise.all(ways.map((way) => ask(api, service, { way, ...limits })));
      for (const { result } of runs)
        expect(errorOf(result)).toMatchObject({
          _tag: "ModelCallError",
          timeoutMs: TIMEOUT_MS,
          retryable: true,
          attempts: 2,
        });
      await expect.poll(service.open).toBe(0);
    });

    it("is disconnected if the run is aborted, without open requests", async () => {
      const service = await start(api, [HANGS]);
      const controller = new AbortController();
      const config = { signal: controller.signal };
      const runs = Promise.all(WAYS.map((way) => ask(api, service, { way, config })));
      await expect.poll(() => service.requests.length).toBe(WAYS.length);
      controller.abort(new Error("the user left"));
      for (const { result } of await runs) expect(errorOf(result)).toMatchObject({ _tag: "RunAborted" });
      await expect.poll(service.open).toBe(0);
    });
  });

  describe("a run", () => {
    it("retries a URL without a listening service", async () => {
      const { config } = configOf(api.provider({ baseURL: "http://127.0.0.1:1/v1" }));
      const result = await runBy("whole", says("Hi"), config);
      expect(errorOf(result)).toMatchObject({ _tag: "ModelCallError", retryable: true, attempts: 2 });
    });

    it.skipIf(api.keyless === undefined)("without the key that the service wants says so", async () => {
      const service = await start(api, [raw(401, api.error.body)]);
      const provider = api.keyless?.(service) ?? api.provider(service);
      const result = await runBy("whole", says("Hi"), configOf(provider).config);
      const message = expect.stringMatching(/ answered 401 \(.*\); no key was sent: pass apiKey$/);
      expect(errorOf(result)).toMatchObject({ status: 401, cause: { message } });
    });

    it("with a budget finds the price of the model that only the provider names", async () => {
      const service = await start(api, ["Hello."]);
      const limits = { prices: { m: { input: 1, output: 4 } }, budget: { run: { maxCost: 1 } } };
      const { config } = configOf(api.provider(service, { model: "m" }), {}, limits);
      const { outcome } = await runBy("whole", says("Hi"), config);
      expect(outcome).toEqual({ status: "completed", output: "Hello." });
    });

    it("without a model ends immediately, and the error says what to set", async () => {
      const service = await start(api, ["Hello."]);
      const { config } = configOf(api.provider(service, { model: undefined }));
      expect(errorOf(await runBy("whole", says("Hi"), config))).toMatchObject({
        _tag: "ModelCallError",
        attempts: 1,
        cause: { message: expect.stringContaining("modelConfig.name") },
      });
      expect(service.requests).toEqual([]);
    });
  });
}
