import { setImmediate as nextTick } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { abortable, aborted } from "../support/abort.ts";
import { clientSetup, MapStore } from "../support/client.ts";

const never = () => new Promise<never>(() => undefined);

const hanging: Record<string, Parameters<typeof clientSetup>[0]> = {
  "a context that never comes": { config: { context: never } },
  "a declaration that never comes": { agent: { conversational: never } },
};

describe.each(Object.entries(hanging))("%s", (_title, setup) => {
  it("doesn't delay an aborted prompt", async () => {
    const { client } = clientSetup(setup);
    const { signal, abort } = abortable();
    const types: string[] = [];

    const prompted = client.prompt("Hi", { signal, onEvent: ({ type }) => types.push(type) });
    await nextTick();
    abort();
    const { outcome, messages, text } = await prompted;

    expect(outcome).toEqual({ status: "error", error: aborted });
    expect([messages, text]).toEqual([[{ role: "user", content: "Hi" }], ""]);
    expect(types).toEqual(["run_start", "run_end"]);
  });

  it("doesn't delay leaving the loop over a stream", async () => {
    const { client } = clientSetup(setup);
    const stream = client.stream("Hi");
    const events = stream[Symbol.asyncIterator]();

    await events.return?.();

    expect((await stream.result).outcome).toMatchObject({ error: { _tag: "RunAborted" } });
  });

  it("isn't awaited by a prompt that was aborted before", async () => {
    const { client } = clientSetup(setup);

    const { outcome } = await client.prompt("Hi", { signal: AbortSignal.abort() });

    expect(outcome).toMatchObject({ error: { _tag: "RunAborted" } });
  });
});

it("throws a TypeError for invalid options of an aborted prompt", async () => {
  const { client } = clientSetup();

  await expect(client.prompt("", { signal: AbortSignal.abort() })).rejects.toThrow(TypeError);
});

it("doesn't wait for a hanging validator in an aborted prompt or the thread's next prompt", async () => {
  const store = new MapStore();
  const { client } = clientSetup({ agent: { conversational: { user: "u" } }, config: { store } });
  const { signal, abort } = abortable();
  const messages = [{ role: "user", content: "Hi" }] as const;

  const prompted = client.prompt("", { messages, validate: never, signal });
  await nextTick();
  abort();

  expect((await prompted).outcome).toMatchObject({ error: aborted });
  expect((await client.prompt("Hello")).text).toBe("Hello");
});
