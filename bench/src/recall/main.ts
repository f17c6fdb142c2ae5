import { stopLabs, withLab } from "../lab.ts";
import { disturbingLoad } from "../machine.ts";
import { measureEmbedders } from "./embedders.ts";
import { type LocomoConversation, readLocomo, UnreadableData } from "./locomo.ts";
import { type MemoryKind, parseOptions, type RecallBenchOptions, usage } from "./options.ts";
import { measureQuality } from "./quality.ts";
import {
  embeddersTable,
  type QualityRow,
  qualityTable,
  type SpeedRow,
  sensitivityTable,
  setsTable,
  speedTable,
} from "./report.ts";
import { measureSet, type SetMarks, setRows } from "./sets.ts";
import { measureSpeed, type SpeedSetting } from "./speed.ts";
import { openStore } from "./stores.ts";
import { measureTuning } from "./tuning.ts";
import { writeRecallDocs } from "./write-docs.ts";

async function quality(
  stores: readonly MemoryKind[],
  conversations: readonly LocomoConversation[],
): Promise<readonly QualityRow[]> {
  const rows: QualityRow[] = [];
  for (const kind of stores) {
    await withLab(async (lab) => {
      lab.progress(`quality, ${kind}`);
      const { memory } = await openStore(lab, kind);
      for (const items of ["turns", "facts"] as const) {
        rows.push({ kind, items, ...(await measureQuality(memory, conversations, items)) });
      }
    });
  }
  return rows;
}

async function sets(): Promise<readonly SetMarks[]> {
  const rows: SetMarks[] = [];
  for (const row of setRows) {
    const marks = await measureSet(row);
    if (marks === undefined)
      process.stderr.write(`  left out: ${row.name}: its data isn't in ../shared/data\n`);
    else rows.push(marks);
  }
  return rows;
}

/** The default of `maxQuotations`. */
const MOST_QUOTATIONS = 5_000;

async function speed(stores: readonly MemoryKind[]): Promise<readonly SpeedRow[]> {
  const rows: SpeedRow[] = [];
  for (const kind of stores) {
    const settings: readonly SpeedSetting[] = [
      { users: 1, factsPerUser: 1_000, source: "told" },
      { users: 1, factsPerUser: 1_000, source: "said" },
      { users: 1, factsPerUser: 1_000, source: "quoted" },
      { users: 1, factsPerUser: MOST_QUOTATIONS, source: "quoted" },
      { users: 1, factsPerUser: 10_000, source: "told" },
      ...(kind === "postgres" ? [{ users: 1_000, factsPerUser: 1_000, source: "told" } as const] : []),
    ];
    for (const setting of settings) {
      await withLab(async (lab) => {
        const { users, factsPerUser, source } = setting;
        lab.progress(`speed, ${kind}, ${users} × ${factsPerUser}, ${source}`);
        rows.push({ kind, ...(await measureSpeed(lab, await openStore(lab, kind), setting)) });
      });
    }
  }
  return rows;
}

async function runAll({ parts, stores, data, write }: RecallBenchOptions): Promise<void> {
  const load = disturbingLoad();
  if (load !== undefined) {
    process.stderr.write(`Something else is busy here (load ${load.toFixed(1)}): the times will be off.\n`);
  }
  const tables: Record<string, string> = {};
  const show = (part: string, text: string) => {
    tables[part] = text;
    console.log(`\n${text}\n`);
  };
  if (parts.includes("sets")) show("sets", setsTable(await sets()));
  if (parts.includes("embedders")) show("embedders", embeddersTable(await measureEmbedders()));
  if (parts.includes("sensitivity")) show("sensitivity", sensitivityTable(measureTuning()));
  const conversations = parts.includes("quality") ? data.flatMap(readLocomo) : [];
  if (parts.includes("quality")) {
    show("quality", qualityTable(await quality(stores, conversations)));
  }
  if (parts.includes("speed")) {
    show("speed", speedTable(await speed(stores)));
  }
  if (write) writeRecallDocs(tables, load);
}

function parse(): RecallBenchOptions | undefined {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n\n${usage}`);
    return undefined;
  }
}

const options = parse();
if (options === undefined) {
  process.exitCode = 2;
} else if (options.help) {
  console.log(usage);
} else {
  for (const [signal, code] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const]) {
    process.once(signal, () => void stopLabs().finally(() => process.exit(code)));
  }
  try {
    await runAll(options);
  } catch (thrown) {
    if (!(thrown instanceof UnreadableData)) throw thrown; // It says what is wrong.
    process.stderr.write(`${thrown.message}\n\n${usage}`);
    process.exitCode = 2;
  }
}
