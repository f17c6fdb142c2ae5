import { quotableOf } from "../../../packages/user-memory/src/evidence/passages.ts";
import { passagesIn } from "../../../packages/user-memory/src/message-search/conversation-index.ts";
import {
  createMemoryTermIndex,
  createTermOf,
  type DocumentContext,
  type MemoryTermIndex,
  type MessageLocation,
  parseQuery,
  type QueryOptions,
  rank,
  termsOf,
} from "../../../packages/user-memory/src/ranker/index.ts";
import { WEIGHTS } from "../../../packages/user-memory/src/ranker/weights.ts";
import { openBm25 } from "./bm25.ts";
import { type Chat, readSet, restricted } from "./chats.ts";
import { type Answer, marksOf } from "./marks.ts";
import { type Person, readRealMem, requestsIn, timeOf } from "./realmem.ts";
import { type SetRow, setRows, textOf } from "./sets.ts";

/** A question at the moment when the first `until` documents of an index exist. */
interface Case {
  readonly index: MemoryTermIndex;
  readonly until: number;
  readonly text: string;
  readonly options: QueryOptions;
  readonly evidence: readonly string[];
  /** The id in `evidence` for a message. */
  readonly idOf: (location: MessageLocation) => string | undefined;
  /** What BM25 finds, as ids. */
  readonly byBm25: readonly string[];
}

/** The effect of the weights on a data set: shares of the evidence among the first ten, in percent. */
export interface WeightMarks {
  readonly name: string;
  readonly usual: number;
  /** The lowest share with one weight a third less or more, and that weight. */
  readonly worst: number;
  readonly worstChange: string;
  /** The share with the one change of a weight that is best for all other data sets, and that change. */
  readonly chosen: number;
  readonly chosenChange: string;
  readonly bm25: number;
}

type Weights = Record<string, number | readonly number[]>;

const THIRD = 1 / 3;

/**
 * Ranks all data sets with each weight a third less and a third more. Uses the ranker without stores. `context` is left
 * out, because the questions have none.
 */
export async function measureWeights(): Promise<readonly WeightMarks[]> {
  const sets = [...setRows.flatMap(casesOfRow), ...casesOfRealMem()];
  const weights = WEIGHTS as unknown as Weights;
  const shareOf = (cases: readonly Case[]) => marksOf(cases.map(answerOf)).recallAt[10];
  const measure = () => sets.map(({ cases }) => shareOf(cases));
  const usual = measure();
  process.stderr.write(`  usual: ${usual.map((share) => share.toFixed(1)).join(" ")}\n`);
  const changed: { readonly change: string; readonly shares: readonly number[] }[] = [];
  for (const [name, value] of Object.entries(weights).filter(([name]) => name !== "context")) {
    for (const [sign, factor] of [
      ["−", 1 - THIRD],
      ["+", 1 + THIRD],
    ] as const) {
      weights[name] = typeof value === "number" ? value * factor : value.map((one) => one * factor);
      const shares = measure();
      const change = `${name} ${sign}⅓`;
      process.stderr.write(`  ${change}: ${shares.map((share) => share.toFixed(1)).join(" ")}\n`);
      changed.push({ change, shares });
    }
    weights[name] = value;
  }
  return sets.map(({ name, cases }, at) => {
    const others = (shares: readonly number[]) =>
      shares.reduce((sum, share, set) => (set === at ? sum : sum + share), 0);
    const all = [{ change: "none", shares: usual }, ...changed];
    const worst = all.reduce((one, other) => ((other.shares[at] ?? 0) < (one.shares[at] ?? 0) ? other : one));
    const chosen = all.reduce((one, other) => (others(other.shares) > others(one.shares) ? other : one));
    return {
      ...{ name, usual: usual[at] ?? 0, worst: worst.shares[at] ?? 0, worstChange: worst.change },
      ...{ chosen: chosen.shares[at] ?? 0, chosenChange: chosen.change },
      bm25: marksOf(cases.map(({ byBm25: ids, evidence }) => ({ ids, evidence }))).recallAt[10],
    };
  });
}

const RANKED = 100;

function answerOf({ index, until, text, options, evidence, idOf }: Case): Answer {
  const query = parseQuery(text, options);
  const documents = index.match(query.terms).documents.filter(({ seq }) => seq <= until);
  const ids = rank(query, { size: until, documents }, { limit: RANKED }).flatMap(({ location }) => {
    const id = location && idOf(location);
    return id === undefined ? [] : [[`${location?.position}:${location?.conversationId}`, id] as const];
  });
  return { ids: [...new Map(ids).values()], evidence };
}

interface CaseSet {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** Makes an index, and a function that adds documents to it and returns their number. */
function openIndex() {
  const index = createMemoryTermIndex();
  const termOf = createTermOf();
  let size = 0;
  const add = (text: string, context: Omit<DocumentContext, "seq">) => {
    index.add({ seq: ++size, ...context }, termsOf(text, { saidAt: context.saidAt, termOf }));
  };
  return { index, add, size: () => size };
}

function casesOfRow(row: SetRow): readonly CaseSet[] {
  const chats = readSet(row.set)?.map((chat) => restricted(chat, row.isWanted));
  return chats === undefined
    ? []
    : [{ name: row.name, cases: chats.flatMap((chat) => casesOfChat(row, chat)) }];
}

function casesOfChat({ name, itemsOf }: SetRow, { turns, questions }: Chat): readonly Case[] {
  const { index, add, size } = openIndex();
  const isWithAssistant = turns.every(({ speaker }) => speaker === "user");
  for (const turn of turns) {
    const { session: conversationId, position, role } = turn;
    const location = { conversationId, position };
    const author = isWithAssistant ? undefined : turn.speaker;
    if (itemsOf === undefined) for (const text of passagesIn(turn.text)) add(text, { location, role });
    for (const item of itemsOf?.(turn) ?? [])
      add(textOf([item]), { location, author, saidAt: turn.saidAt?.getTime() });
  }
  const ids = new Map(turns.map(({ session, position, id }) => [`${position}:${session}`, id]));
  const isFacts = name.includes("facts");
  const find = openBm25(turns.map((turn) => (isFacts && itemsOf ? textOf(itemsOf(turn)) : turn.text)));
  return questions.map(({ text, evidence }) => ({
    ...{ index, until: size(), text, evidence, options: { now: Date.now() } },
    idOf: ({ conversationId, position }) => ids.get(`${position}:${conversationId}`),
    byBm25: find(text).flatMap((at) => turns[at]?.id ?? []),
  }));
}

const casesOfRealMem = (): readonly CaseSet[] => {
  const people = readRealMem() ?? [];
  return [false, true].map((isAll) => ({
    name: `RealMem, ${isAll ? "all messages" : "the user's messages"}`,
    cases: people.flatMap((person) => casesOfPerson(person, isAll)),
  }));
};

/** `isAll`: whether the assistant's messages are searched, too. */
function casesOfPerson({ sessions }: Person, isAll: boolean): readonly Case[] {
  const { index, add, size } = openIndex();
  const earlier = new Set<string>();
  const said: { readonly session: string; readonly text: string }[] = [];
  const cases: Case[] = [];
  for (const session of sessions) {
    const saidAt = timeOf(session).getTime();
    const requests = requestsIn(session, earlier);
    const find = requests.length === 0 ? () => [] : openBm25(said.map(({ text }) => text));
    for (const { text, evidence } of requests) {
      const options = { now: saidAt };
      const byBm25 = find(text).flatMap((at) => said[at]?.session ?? []);
      cases.push({
        index,
        until: size(),
        text,
        options,
        evidence,
        byBm25,
        idOf: ({ conversationId }) => conversationId,
      });
    }
    for (const [position, { role, text }] of session.turns.entries()) {
      if (!isAll && role !== "user") continue;
      const location = { conversationId: session.id, position };
      said.push({ session: session.id, text });
      if (isAll) for (const passage of passagesIn(text)) add(passage, { location, role });
      else
        for (const passage of quotableOf([text], () => false).passages)
          add(passage.text, { location, saidAt });
    }
    earlier.add(session.id);
  }
  return cases;
}
