import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { executionsFile } from "../../src/replay/ledger.ts";
import { runDemo, startDemo } from "../support/demo-process.ts";
import { madeUpRecording } from "../support/recording-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const KILLS = 10;
const recorded = new URL("../../../../../shared/data/tau-airline-50.jsonl", import.meta.url).pathname;

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Waits until the replay has executed this many tool calls, so it is in the middle of its work. */
async function hasExecuted(data: string, count: number): Promise<void> {
  const file = executionsFile(data);
  const executed = () => (existsSync(file) ? readFileSync(file, "utf8").split('["run"').length - 1 : 0);
  while (executed() < count) await sleep(5);
}

it.each([
  { name: "a made-up recording", file: folder.write("made-up.jsonl", madeUpRecording(60).text) },
  ...(existsSync(recorded) ? [{ name: "the recorded conversations", file: recorded }] : []),
])(
  `loses, duplicates and repeats nothing of $name if the replay is killed ${KILLS} times`,
  async ({ file }) => {
    const toolCalls = readFileSync(file, "utf8").split('"tool_call_id"').length - 1;
    const data = `${folder.data}-${file.length}`;
    for (let kill = 1; kill <= KILLS; kill++) {
      const { child, finished } = startDemo(["replay", file, "--data", data], { input: "" });
      await hasExecuted(data, (kill * toolCalls) / (KILLS + 1));
      child.kill("SIGKILL");
      expect((await finished).signal).toBe("SIGKILL");
    }
    expect(await runDemo(["replay", file, "--data", data])).toMatchObject({ code: 0 });
    const verified = await runDemo(["verify", file, "--data", data]);
    expect(verified).toMatchObject({ code: 0, err: "" });
    expect(verified.out).toMatch(
      /, 0 differences\n[\d,]+ tool calls executed, 0 again after they had finished/,
    );
  },
);
