import { afterAll, describe, expect, it } from "vitest";
import { runDemo } from "../support/demo-process.ts";
import { madeUpRecording } from "../support/recording-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe("replay and verify", { timeout: 60_000 }, () => {
  const demo = (...args: string[]) => runDemo([...args, "--data", folder.data]);

  it("stores a recording through the engine and finds no difference in a new process", async () => {
    const { text, messages } = madeUpRecording(3);
    const file = folder.write("made-up.jsonl", text);
    const replayed = await demo("replay", file);
    expect(replayed.code).toBe(0);
    expect(replayed.out).toContain(`Replayed 3 conversations, ${messages} messages.`);
    expect(replayed.err).toMatch(/63\/63 messages, 3\/3 conversations, \d+ messages\/s/);

    const verified = await demo("verify", file);
    expect(verified).toMatchObject({ code: 0, err: "" });
    expect(verified.out).toContain(`3 conversations, ${messages} messages, 0 differences`);
    expect(verified.out).toContain("24 tool calls executed, 0 again after they had finished");
  });
});
