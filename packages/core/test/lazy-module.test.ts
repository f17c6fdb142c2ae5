import { createInMemoryProvider } from "@jaf/memory";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openModule, PartLoadError, withModule } from "../src/lazy-module.ts";
import { errorOf, says, setup, told } from "./support/setup.ts";

const part = { name: "a part" };

describe("a part of the engine", () => {
  it("is loaded by the first to need it, once, and given at once from then on", async () => {
    const load = vi.fn(async () => part);
    const take = openModule("tests", load);
    expect(load).not.toHaveBeenCalled();
    expect(await Promise.all([take(), take()])).toEqual([part, part]);
    expect(take()).toBe(part);
    expect(withModule(take(), ({ name }) => name)).toBe("a part");
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("is tried again after a failure, which says what the part is for", async () => {
    const cause = new Error("offline");
    const load = vi.fn(async () => part).mockRejectedValueOnce(cause);
    const take = openModule("tests", load);
    const failure = await Promise.resolve(take()).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(PartLoadError);
    expect(failure).toMatchObject({
      message: expect.stringMatching(
        /^the part of the engine for tests could not be loaded; deploy all files/,
      ),
      cause,
    });
    expect(await take()).toBe(part);
  });
});

describe("a run whose part can't be loaded", () => {
  const unloadable = ["../src/engine/stored-run-module.ts", "../src/context/context-module.ts"];

  afterEach(() => {
    for (const file of unloadable) vi.doUnmock(file);
    vi.resetModules();
  });

  /** `run` of an engine that has loaded no part yet. */
  async function unloadedRun(): Promise<typeof import("../src/engine/run.ts").run> {
    vi.resetModules();
    for (const file of unloadable) {
      vi.doMock(file, () => {
        throw new Error("offline");
      });
    }
    return (await import("../src/engine/run.ts")).run;
  }

  it.each([
    { memory: { autoStore: true }, what: "stored turns" },
    { memory: { window: { memoryType: "message_window", maxMessages: 3 } }, what: "windows and summaries" },
  ] as const)("ends with an InternalError, for $what", async ({ memory, what }) => {
    const run = await unloadedRun();
    const { config, events } = setup({
      model: ["never"],
      config: { conversationId: "c", memory: { provider: createInMemoryProvider(), ...memory } },
    });
    const state = says("Hi");
    const ended = await run(state, config);
    const error = {
      _tag: "InternalError",
      detail: expect.stringContaining(`the part of the engine for ${what} could not be loaded; deploy`),
      cause: expect.objectContaining({ name: "Error" }),
    };
    expect(errorOf(ended)).toEqual(error);
    expect(ended.finalState).toEqual(state);
    expect(events.map(({ type }) => type)).toEqual(["run_start", "run_end"]);
    expect(told(events.at(-1))).toEqual({ type: "run_end", data: { outcome: { status: "error", error } } });
  });

  it("needs none where nothing is stored and the model sees all", async () => {
    const run = await unloadedRun();
    const { config } = setup({ model: ["Hello"] });
    expect((await run(says("Hi"), config)).outcome).toEqual({ status: "completed", output: "Hello" });
  });
});
