import { afterEach, describe, expect, it, vi } from "vitest";
import { run, runStream } from "../../src/index.ts";
import { says, setup } from "../support/setup.ts";

function collectWarnings() {
  const warnings: Error[] = [];
  const listen = (warning: Error) => {
    if (warning.name === "JAFObserverWarning") warnings.push(warning);
  };
  process.on("warning", listen);
  return { warnings, stop: () => process.off("warning", listen) };
}

describe("an observer that fails", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("a bug in the observer");
      },
    ],
    [
      "rejects",
      async () => {
        throw new Error("a bug in the observer");
      },
    ],
  ])("because it %s doesn't break the run, and is reported as a process warning", async (_how, onEvent) => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const { warnings, stop } = collectWarnings();
    const { config } = setup({ model: ["Hello."], config: { onEvent } });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    await expect.poll(() => warnings.length).toBeGreaterThan(0);
    stop();
    expect(warnings[0]?.message).toBe('RunConfig.onEvent failed on "run_start"; the run continues.');
    expect((warnings[0] as Error & { detail: string }).detail).toContain("a bug in the observer");
  });

  it("doesn't stop a stream's events", async () => {
    vi.spyOn(process, "emitWarning").mockReturnValue(undefined);
    const onEvent = () => {
      throw new Error("a bug in the observer");
    };
    const { config } = setup({ model: ["Hello."], config: { onEvent } });
    const types: string[] = [];
    for await (const { type } of runStream(says("Hi"), config)) types.push(type);
    expect(types.at(-1)).toBe("run_end");
  });
});
