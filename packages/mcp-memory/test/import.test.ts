import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryUserMemory } from "@jaf/user-memory";
import { expect, it, onTestFinished } from "vitest";
import { type ImportOptions, importOfficialFile } from "../src/import/import.ts";

const LINES = [
  '{"type":"entity","name":"Ada","entityType":"person","observations":["Lives in Oslo","Plays the cello"]}',
  '{"type":"entity","name":"Foo","entityType":"side_project","observations":[]}',
  "{ broken",
  '{"type":"relation","from":"Ada","to":"Foo","relationType":"worksOn"}',
  '{"type":"entity","name":"Bar","observations":["no type"]}',
  "",
  '{"type":"entity","name":"Login","entityType":"note","observations":["The password is hunter2-Kx91"]}',
  `{"type":"entity","name":"Long","entityType":"note","observations":["${"x ".repeat(1_500)}","Short"]}`,
  "null",
  '{"type":"relation","from":"Foo","to":"fly.io","relationType":"deployed_to"}',
];

async function fileOf(lines: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "jaf-import-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "memory.jsonl");
  await writeFile(file, lines.join("\r\n"));
  return file;
}

interface Run extends Partial<ImportOptions> {
  readonly skipped?: string[];
}

const run = async ({ skipped = [], ...options }: Run & Pick<ImportOptions, "file" | "memory">) =>
  importOfficialFile({
    ...{ userId: "ada", vouched: false, dryRun: false, onProgress: () => {} },
    onSkipped: (line, reason) => skipped.push(`${line}: ${reason}`),
    ...options,
  });

const EXPECTED = { entities: 4, relations: 2, facts: 8, brokenLines: 3, skipped: 2 };

it("imports entities and relations as facts that wait, and reports what it leaves out by line", async () => {
  const memory = new MemoryUserMemory();
  const skipped: string[] = [];
  const counts = await run({ memory, file: await fileOf(LINES), skipped });
  expect(counts).toEqual({ ...EXPECTED, active: 0, waiting: 6 });
  expect((await memory.review.list("ada")).map(({ fact }) => fact).sort()).toEqual([
    ...["Ada works on Foo", "Ada: Lives in Oslo", "Ada: Plays the cello"],
    ...["Foo deployed to fly.io", "Foo: side project", "Long: Short"],
  ]);
  expect(skipped.map((line) => line.slice(0, 34))).toEqual([
    "3: the line was skipped: not JSON",
    "5: the line was skipped: not an en",
    "7: a fact was left out: it holds a",
    "8: a fact was left out: Invalid in",
    "9: the line was skipped: not an en",
  ]);
});

it("changes nothing when it is repeated, and brings back nothing that was forgotten", async () => {
  const memory = new MemoryUserMemory();
  const file = await fileOf(LINES);
  expect(await run({ memory, file, vouched: true })).toEqual({ ...EXPECTED, active: 6, waiting: 0 });
  const before = await memory.list("ada");
  expect(new Set(before.map(({ trust }) => trust))).toEqual(new Set(["confirmed"]));
  await run({ memory, file, vouched: true });
  await run({ memory, file });
  expect(await memory.list("ada")).toEqual(before);
  const [oslo] = before.filter(({ fact }) => fact.includes("Oslo"));
  await memory.forget("ada", oslo?.id ?? "");
  const again = await run({ memory, file, vouched: true });
  expect(again).toMatchObject({ active: 5, skipped: 3 });
  expect(await memory.list("ada")).toHaveLength(5);
});

it("only counts in a dry run", async () => {
  const memory = new MemoryUserMemory();
  expect(await run({ memory, file: await fileOf(LINES), dryRun: true })).toMatchObject({ waiting: 7 });
  expect(await memory.review.list("ada")).toEqual([]);
});

it("stores up to the limit of facts that wait, and says so", async () => {
  const memory = new MemoryUserMemory({ limits: { maxQuarantined: 2 } });
  const skipped: string[] = [];
  const counts = await run({ memory, file: await fileOf(LINES), skipped });
  expect(counts).toMatchObject({ waiting: 2, skipped: 6 });
  expect(skipped.join()).toContain("maxQuarantined");
});
