import { existsSync } from "node:fs";
import { renderTable } from "../report/markdown.ts";
import { readRecorded } from "./recorded.ts";
import { type Replayed, replay, type Setup } from "./replay.ts";

const DATA = new URL("../../../../shared/data/tau-airline-50.jsonl", import.meta.url).pathname;

const WINDOWS: readonly (readonly [string, Setup["window"]])[] = [
  ["none", undefined],
  ["20, sliding", { maxMessages: 20 }],
  ["20, `trimTo: 10`", { maxMessages: 20, trimTo: 10 }],
];
const PLACEMENTS: readonly Setup["placement"][] = ["instructions", "before-newest-message"];

const [path = DATA] = process.argv.slice(2).filter((arg) => arg !== "--");
if (!existsSync(path)) {
  console.log(
    'There are no conversations here; give a file of `{ "conversationId", "messages" }` in each line.',
  );
} else {
  const conversations = readRecorded(path);
  const rows: (readonly string[])[] = [];
  for (const [name, window] of WINDOWS) {
    for (const placement of PLACEMENTS) {
      const replayed: Replayed[] = [];
      for (let index = 0; index < conversations.length; index++)
        replayed.push(await replay(conversations, index, { placement, window }));
      rows.push([name, placement, ...figuresOf(replayed)]);
    }
  }
  console.log(renderTable({ columns: ["window", "facts", "calls", "tokens", "covered"], rows }));
}

function figuresOf(replayed: readonly Replayed[]): readonly string[] {
  const sum = (of: (each: Replayed) => number) => replayed.reduce((total, each) => total + of(each), 0);
  const calls = sum((each) => each.calls.length);
  const prompt = sum((each) => each.calls.reduce((total, call) => total + call.prompt, 0));
  const covered = sum((each) => each.calls.reduce((total, call) => total + call.covered, 0));
  const changed = sum((each) => each.changed) / sum(({ turns }) => turns);
  process.stderr.write(
    `facts of ${(changed * 100).toFixed(1)} % of the turns are others than of the turn before\n`,
  );
  return [String(calls), String(prompt), `${((covered / prompt) * 100).toFixed(1)} %`];
}
