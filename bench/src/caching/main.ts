import { existsSync } from "node:fs";
import { estimateTokens } from "@jaf/memory/history";
import { renderPart } from "../report/markdown.ts";
import type { Check } from "../results.ts";
import { readRecorded } from "./recorded.ts";
import { type Replayed, replay, type Setup } from "./replay.ts";

const DATA = new URL("../../../../shared/data/tau-airline-50.jsonl", import.meta.url).pathname;

interface Window {
  readonly name: string;
  readonly window: Setup["window"];
  /** With facts before the newest message, in percent. Absent: none. */
  readonly target?: number;
}

const WINDOWS: readonly Window[] = [
  { name: "none", window: undefined, target: 90 },
  { name: "20, sliding", window: { maxMessages: 20 } },
  { name: "20, `trimTo: 10`", window: { maxMessages: 20, trimTo: 10 }, target: 85 },
];
const PLACEMENTS: readonly Setup["placement"][] = ["instructions", "before-newest-message"];

/** What Anthropic charges for a token, to what it charges for one that it neither reads nor keeps. */
const READ = 0.1;
const WRITTEN = { "5m": 1.25, "1h": 2 };

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;

/** How many facts are others than those of the turn before, and how long they are. */
function tellFacts(replayed: readonly Replayed[]): void {
  const later = replayed.flatMap(({ facts }) => facts.slice(1).map((text, at) => text !== facts[at]));
  const tokens = replayed.flatMap(({ facts }) => facts.map((text) => estimateTokens(text)));
  const changed = later.filter((isOther) => isOther).length / later.length;
  const mean = sum(tokens) / tokens.length;
  process.stderr.write(
    `Facts: ${mean.toFixed(0)} tokens; other ones than in the turn before in ${percent(changed)} of the turns.\n`,
  );
}

async function measure(path: string): Promise<void> {
  const conversations = readRecorded(path);
  const rows: (readonly string[])[] = [];
  const checks: Check[] = [];
  for (const { name, window, target } of WINDOWS) {
    for (const placement of PLACEMENTS) {
      const replayed: Replayed[] = [];
      for (const index of conversations.keys())
        replayed.push(await replay(conversations, index, { placement, window }));
      const calls = replayed.flatMap((each) => each.calls);
      const prompt = sum(calls.map((call) => call.prompt));
      const covered = sum(calls.map((call) => call.covered)) / prompt;
      const written = sum(calls.map((call) => call.written)) / prompt;
      const costs = Object.values(WRITTEN).map((rate) =>
        percent(1 + covered * (READ - 1) + written * (rate - 1)),
      );
      rows.push([name, placement, String(calls.length), String(prompt), percent(covered), ...costs]);
      if (target !== undefined && placement === "before-newest-message")
        checks.push({ what: `window ${name}`, measured: covered * 100, rule: "at least", target, unit: "%" });
      if (rows.length === 1) tellFacts(replayed);
    }
  }
  const table = {
    columns: ["window", "facts", "calls", "tokens of prompts", "covered", "costs, 5m", "costs, 1h"],
    rows,
  };
  console.log(renderPart({ table, checks }));
}

const [path = DATA] = process.argv.slice(2).filter((arg) => arg !== "--");
if (existsSync(path)) await measure(path);
else
  console.log(
    'There are no conversations here; give a file of `{ "conversationId", "messages" }` in each line.',
  );
