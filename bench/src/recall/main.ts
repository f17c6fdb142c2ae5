import { parseArgs } from "node:util";
import { withLab } from "../lab.ts";
import { describeMachine, disturbingLoad } from "../machine.ts";
import { commandLine, oneOf, runProgram } from "../program.ts";
import { duration, renderTable } from "../report.ts";
import { readLocomoChats } from "./chats.ts";
import type { Marks } from "./marks.ts";
import { measureRealMem } from "./realmem.ts";
import { measureSet, setRows } from "./sets.ts";
import { type MemoryKind, measureQuality, memoryKinds, openStore } from "./stores.ts";
import { halves, measureGated, measureInjected, measureStored } from "./unprompted.ts";
import { measureWeights } from "./weights.ts";

const PARTS = ["sets", "quality", "unprompted", "weights"] as const;
/** The parts of a run that names none. */
const USUAL_PARTS: readonly (typeof PARTS)[number][] = ["sets", "quality", "unprompted"];

const DEFAULT_DATA = new URL("../../../../shared/data/locomo-dev-3.json", import.meta.url).pathname;

const usage = `Usage: pnpm bench:recall [sets|quality|unprompted|weights …] [--data FILE …] [--store in-memory|redis|postgres …]

  sets        four data sets beside BM25, in memory
  quality     LoCoMo on each store, and how long a recall takes
  unprompted  what is added to prompts that need no fact, and what verbatim extraction stores
  weights     each weight of the ranker a third less and more, on all data sets (takes some minutes)

  --data   of quality: conversations in the format of snap-research/locomo; default ../shared/data/locomo-dev-3.json
  --store  of quality: only this store
`;

function parseOptions() {
  const { values, positionals } = parseArgs({
    args: commandLine(),
    allowPositionals: true,
    options: {
      data: { type: "string", multiple: true, default: [DEFAULT_DATA] },
      store: { type: "string", multiple: true, default: [...memoryKinds] },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  return {
    parts: positionals.length === 0 ? USUAL_PARTS : positionals.map((text) => oneOf("part", text, PARTS)),
    stores: values.store.map((text) => oneOf("store", text, memoryKinds)),
    data: values.data,
    help: values.help,
  };
}

const FIGURES = ["R@1", "R@5", "R@10", "MRR"];

/** In percent, except MRR. */
const figures = ({ recallAt, reciprocalRank }: Marks): readonly string[] => [
  ...([1, 5, 10] as const).map((depth) => recallAt[depth].toFixed(1)),
  reciprocalRank.toFixed(3),
];

async function sets(): Promise<string> {
  const rows: string[][] = [];
  for (const row of setRows) {
    const marks = await measureSet(row);
    if (marks === undefined)
      process.stderr.write(`  left out: ${row.name}: its data isn't in ../shared/data\n`);
    else rows.push([row.name, String(marks.ours.questions), ...figures(marks.ours), ...figures(marks.bm25)]);
  }
  const columns = ["what", "questions", ...FIGURES, ...FIGURES.map((name) => `BM25 ${name}`)];
  return renderTable({ columns, rows });
}

async function realMem(): Promise<string> {
  const marks = await measureRealMem();
  if (marks === undefined) return "RealMem was left out: its data isn't in ../shared/data";
  const share = (value: number) => value.toFixed(1);
  const rows = marks.map(({ name, byMessages, bySessions }) => [
    name,
    String(byMessages.questions),
    ...[byMessages, bySessions].flatMap(({ recallAt }) => [share(recallAt[5]), share(recallAt[10])]),
  ]);
  const columns = ["RealMem", "requests", "R@5", "R@10", "sessions R@5", "sessions R@10"];
  return renderTable({ columns, rows });
}

async function weights(): Promise<string> {
  const share = (value: number) => value.toFixed(1);
  const rows = (await measureWeights()).map(
    ({ name, usual, worst, worstChange, chosen, chosenChange, bm25 }) => [
      ...[name, share(usual), share(worst), worstChange, share(chosen), chosenChange, share(bm25)],
    ],
  );
  const columns = ["R@10", "usual weights", "worst", "with", "best for the other sets", "with", "BM25"];
  return renderTable({ columns, rows });
}

async function quality(stores: readonly MemoryKind[], data: readonly string[]): Promise<string> {
  const chats = data.flatMap(readLocomoChats);
  const rows: string[][] = [];
  for (const kind of stores) {
    await withLab(async (lab) => {
      lab.progress(`quality, ${kind}`);
      const memory = await openStore(lab, kind);
      for (const { name, set, itemsOf } of setRows) {
        if (set !== "locomo" || itemsOf === undefined) continue;
        const measured = await measureQuality(memory, chats, { name, itemsOf });
        const times = [measured.p50, measured.p95].map((milliseconds) => duration(1_000 * milliseconds));
        rows.push([kind, name, String(measured.questions), ...figures(measured), ...times]);
      }
    });
  }
  return renderTable({ columns: ["store", "items", "questions", ...FIGURES, "recall p50", "p95"], rows });
}

async function unprompted(): Promise<string> {
  const rows: string[][] = [];
  for (const half of halves) {
    const { idle, falsely, facts, needed, found } = await measureInjected(half);
    const { junk, useful } = await measureStored(half);
    const shares = [falsely, facts, found, junk, useful].map((value) => value.toFixed(1));
    rows.push([half, `${idle} + ${needed}`, ...shares]);
  }
  const columns = ["half", "turns", "false", "facts", "needed found", "junk stored", "useful stored"];
  const sets: string[][] = [];
  for (const row of setRows) {
    const gated = await measureGated(row);
    if (gated !== undefined) sets.push([row.name, gated.all.toFixed(1), gated.relevantOnly.toFixed(1)]);
  }
  const gates = renderTable({ columns: ["what", "R@10", "R@10 with relevantOnly"], rows: sets });
  return `${renderTable({ columns, rows })}\n\n${gates}`;
}

await runProgram(usage, async () => {
  const { parts, stores, data, help } = parseOptions();
  if (help) return console.log(usage);
  const load = disturbingLoad();
  console.log(
    `${describeMachine()}.${load === undefined ? "" : ` Other work ran beside it (load ${load.toFixed(1)}).`}`,
  );
  if (parts.includes("sets")) console.log(`\n${await sets()}\n\n${await realMem()}\n`);
  if (parts.includes("unprompted")) console.log(`\n${await unprompted()}\n`);
  if (parts.includes("quality")) console.log(`\n${await quality(stores, data)}\n`);
  if (parts.includes("weights")) console.log(`\n${await weights()}\n`);
});
