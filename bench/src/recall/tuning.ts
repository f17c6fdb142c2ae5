import { passagesIn } from "../../../packages/user-memory/src/message-search/segment.ts";
import {
  createMemoryTermIndex,
  defaultWeights,
  type Matches,
  parseQuery,
  type Query,
  type RankingWeights,
  rank,
  termsOf,
} from "../../../packages/user-memory/src/ranker/index.ts";
import { readSet, restricted } from "./chats.ts";
import { type Marks, marksOf } from "./marks.ts";
import { askBm25, type SetRow, setRows } from "./sets.ts";

type Weights = Partial<RankingWeights>;

/** A question, and what an index found for it: ranked again and again with other weights. */
interface Case {
  readonly chat: string;
  readonly query: Query;
  readonly matches: Matches;
  readonly turnAt: ReadonlyMap<string, string>;
  readonly evidence: readonly string[];
}

interface Row {
  readonly name: string;
  readonly cases: readonly Case[];
  readonly bm25: Marks;
}

export interface Sensitivity {
  readonly name: string;
  readonly bm25: Marks;
  readonly usual: Marks;
  /** The worst of all that are varied, and the weight that was. */
  readonly worst: Readonly<Record<5 | 10, { readonly recall: number; readonly weight: string }>>;
  /** Each conversation with the weights of a small grid that are best for all the others. */
  readonly leftOut: Marks;
}

const THIRDS = [2 / 3, 4 / 3];

/** What becomes of each row where one weight is a third less or more, and with weights tuned without the conversation asked. */
export function measureTuning(): readonly Sensitivity[] {
  const rows = setRows.flatMap((row) => rowOf(row) ?? []);
  const varied = Object.keys(defaultWeights).flatMap((key) =>
    THIRDS.map((factor) => ({
      name: `${key} × ${factor.toFixed(2)}`,
      weights: scaled(key as keyof RankingWeights, factor),
    })),
  );
  const marks = varied.map(({ name, weights }) => ({
    name,
    rows: rows.map(({ cases }) => marksOf(ask(cases, weights))),
  }));
  const leftOut = leaveOneOut(rows);
  return rows.map(({ name, cases, bm25 }, at) => {
    const worstAt = (depth: 5 | 10) =>
      marks
        .map((one) => ({ recall: one.rows[at]?.recallAt[depth] ?? 0, weight: one.name }))
        .reduce((least, one) => (one.recall < least.recall ? one : least));
    return {
      ...{ name, bm25, usual: marksOf(ask(cases, {})), worst: { 5: worstAt(5), 10: worstAt(10) } },
      leftOut: leftOut[at] ?? bm25,
    };
  });
}

function scaled(key: keyof RankingWeights, factor: number): Weights {
  const value = defaultWeights[key];
  return { [key]: typeof value === "number" ? value * factor : value.map((one) => one * factor) };
}

const GRID: readonly Weights[] = [0.5, 0.7, 0.9].flatMap((length) =>
  [0.67, 1, 1.33].flatMap((near) =>
    [0.15, 0.25, 0.35].flatMap((conversation) =>
      [2, 3].map((author) => ({
        ...{ length, conversation, author },
        before: defaultWeights.before.map((weight) => weight * near),
        after: defaultWeights.after.map((weight) => weight * near),
      })),
    ),
  ),
);

function leaveOneOut(rows: readonly Row[]): readonly Marks[] {
  const answers = GRID.map((weights) => rows.map(({ cases }) => ask(cases, weights)));
  const chats = [...new Set(rows.flatMap(({ cases }) => cases.map(({ chat }) => chat)))];
  const kept = rows.map((): ReturnType<typeof ask>[number][] => []);
  for (const chat of chats) {
    const value = (grid: (typeof answers)[number]) =>
      grid.reduce((sum, row) => {
        const { recallAt } = marksOf(row.filter((answer) => answer.chat !== chat));
        return sum + recallAt[5] + recallAt[10];
      }, 0);
    const best = answers.reduce((most, grid) => (value(grid) > value(most) ? grid : most));
    for (const [at, row] of best.entries()) kept[at]?.push(...row.filter((answer) => answer.chat === chat));
  }
  return kept.map(marksOf);
}

const locationName = (conversationId: string, position: number) => `${position}:${conversationId}`;

const ask = (cases: readonly Case[], weights: Weights) =>
  cases.map(({ chat, query, matches, turnAt, evidence }) => {
    const found = rank(query, matches, { limit: 100, weights });
    const ids = found.flatMap(({ location }) =>
      location === undefined
        ? []
        : (turnAt.get(locationName(location.conversationId, location.position)) ?? []),
    );
    return { chat, ids: [...new Set(ids)], evidence };
  });

function rowOf(row: SetRow): Row | undefined {
  const chats = readSet(row.set)?.map((chat) => restricted(chat, row.isWanted));
  if (chats === undefined) return undefined;
  const cases = chats.flatMap((chat): readonly Case[] => {
    const index = createMemoryTermIndex();
    const isTalk = chat.turns.some(({ speaker }) => speaker !== "user" && speaker !== "assistant");
    let seq = 0;
    for (const turn of chat.turns) {
      const location = { conversationId: turn.session, position: turn.position };
      const texts =
        row.itemsOf === undefined
          ? [...passagesIn(turn.text)]
          : row
              .itemsOf(turn)
              .map(({ fact, evidence }) => (evidence === undefined ? fact : `${fact}\n${evidence}`));
      const saidAt = row.itemsOf === undefined ? undefined : turn.saidAt?.getTime();
      const said =
        row.itemsOf === undefined
          ? { role: turn.role }
          : { author: isTalk ? turn.speaker : undefined, saidAt };
      for (const text of texts) index.add({ seq: ++seq, location, ...said }, termsOf(text, { saidAt }));
    }
    const turnAt = new Map(
      chat.turns.map(({ session, position, id }) => [locationName(session, position), id]),
    );
    return chat.questions.map(({ text, evidence }) => {
      const query = parseQuery(text, { now: Date.now() });
      return { chat: chat.id, query, matches: index.match(query.terms), turnAt, evidence };
    });
  });
  return { name: row.name, cases, bm25: marksOf(chats.flatMap((chat) => askBm25(row, chat))) };
}
