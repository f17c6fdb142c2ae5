import type { EmbedderMarks } from "./embedders.ts";
import type { Marks } from "./marks.ts";
import type { MemoryKind } from "./options.ts";
import type { Items, Quality } from "./quality.ts";
import type { SetMarks } from "./sets.ts";
import type { Speed } from "./speed.ts";
import type { Sensitivity } from "./tuning.ts";

export interface QualityRow extends Quality {
  readonly kind: MemoryKind;
  readonly items: Items;
}

export interface SpeedRow extends Speed {
  readonly kind: MemoryKind;
}

const itemsText: Readonly<Record<Items, string>> = {
  turns: "turns",
  facts: "facts with their turns",
};

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;

const figures = ({ recallAt, reciprocalRank }: Marks): readonly string[] => [
  ...([1, 5, 10] as const).map((depth) => recallAt[depth].toFixed(1)),
  reciprocalRank.toFixed(3),
];

const FIGURES = ["R@1", "R@5", "R@10", "MRR"];

/** Percent but for MRR. */
export const setsTable = (rows: readonly SetMarks[]): string =>
  table(
    ["what", "questions", ...FIGURES, ...FIGURES.map((name) => `BM25 ${name}`)],
    rows.map(({ name, ours, bm25 }) => [name, String(ours.questions), ...figures(ours), ...figures(bm25)]),
  );

/** Percent; of each embedder what it adds to words alone. */
export const embeddersTable = (rows: readonly EmbedderMarks[]): string =>
  table(
    [
      ...["what", "words alone: R@5", "R@10"],
      ...(rows[0]?.embedded ?? []).flatMap(({ name }) => [`${name}: R@5`, "R@10"]),
    ],
    rows.map(({ name, words, embedded }) => [
      name,
      ...([5, 10] as const).map((depth) => words.recallAt[depth].toFixed(1)),
      ...embedded.flatMap(({ marks }) =>
        ([5, 10] as const).map((depth) => signed(marks.recallAt[depth] - words.recallAt[depth])),
      ),
    ]),
  );

const signed = (value: number): string => `${value < -0.05 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;

export const sensitivityTable = (rows: readonly Sensitivity[]): string =>
  table(
    [
      ...["what", "R@5", "worst R@5", "with", "BM25 R@5", "R@10", "worst R@10", "with", "BM25 R@10"],
      ...["left out: R@5", "R@10"],
    ],
    rows.map(({ name, usual, worst, bm25, leftOut }) => [
      name,
      ...([5, 10] as const).flatMap((depth) => [
        usual.recallAt[depth].toFixed(1),
        worst[depth].recall.toFixed(1),
        worst[depth].weight,
        bm25.recallAt[depth].toFixed(1),
      ]),
      ...([5, 10] as const).map((depth) => leftOut.recallAt[depth].toFixed(1)),
    ]),
  );

/** Percent but for MRR. */
export const qualityTable = (rows: readonly QualityRow[]): string =>
  table(
    ["store", "items", "questions", "R@1", "R@5", "R@10", "MRR", "recall p50", "p95"],
    rows.map(({ kind, items, questions, recallAt, reciprocalRank, p50, p95 }) => [
      kind,
      itemsText[items],
      String(questions),
      ...([1, 5, 10] as const).map((depth) => recallAt[depth].toFixed(1)),
      reciprocalRank.toFixed(3),
      ms(p50),
      ms(p95),
    ]),
  );

export const speedTable = (rows: readonly SpeedRow[]): string =>
  table(
    [
      "store",
      "users",
      "facts of each",
      "how they came",
      "recall p50",
      "p95",
      "× raw p95",
      "remember p50",
      "p95",
    ],
    rows.map(({ kind, users, factsPerUser, source, recall, remember, raw }) => [
      kind,
      users.toLocaleString("en-US"),
      factsPerUser.toLocaleString("en-US"),
      source,
      ...[recall.p50, recall.p95].map(ms),
      raw === undefined ? "–" : (recall.p95 / raw.p95).toFixed(1),
      ...[remember.p50, remember.p95].map(ms),
    ]),
  );
