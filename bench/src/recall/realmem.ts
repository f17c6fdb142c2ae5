import { existsSync, readFileSync } from "node:fs";
import { createInMemoryProvider, type Message } from "@jaf/memory";
import { createMessageSearch, MemoryUserMemory } from "@jaf/user-memory";
import * as z from "zod";
import { quotableOf } from "../../../packages/user-memory/src/evidence/passages.ts";
import { UsageError } from "../program.ts";
import { openBm25 } from "./bm25.ts";
import { type Answer, type Marks, marksOf } from "./marks.ts";

const path = new URL("../../../../shared/data/realmem-dev-3.json", import.meta.url).pathname;

const turnSchema = z.object({
  role: z.enum(["user", "assistant"]),
  text: z.string(),
  evidence: z.array(z.string()).optional(),
});
const sessionSchema = z.object({ id: z.string(), time: z.string(), turns: z.array(turnSchema) });
const personSchema = z.object({ id: z.string(), sessions: z.array(sessionSchema) });

type Session = z.infer<typeof sessionSchema>;
export type Person = z.infer<typeof personSchema>;

/** Reads people who talk to an assistant over months. `undefined` if the data is missing. */
export function readRealMem(): readonly Person[] | undefined {
  if (!existsSync(path)) return undefined;
  const parsed = z.array(personSchema).safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (!parsed.success) throw new UsageError(`Cannot read conversations from ${path}: another format.`);
  return parsed.data;
}

/** A message of a user that earlier sessions help to answer. */
export interface Request {
  readonly text: string;
  /** The messages of the session before it, oldest first. */
  readonly context: readonly string[];
  /** The ids of the earlier sessions that its answer rests on. */
  readonly evidence: readonly string[];
}

/** The requests in a session. `earlier` are the ids of the sessions before it. */
export const requestsIn = ({ turns }: Session, earlier: ReadonlySet<string>): readonly Request[] =>
  turns.flatMap(({ text, evidence = [] }, at) => {
    const known = [...new Set(evidence)].filter((id) => earlier.has(id));
    return known.length === 0
      ? []
      : [{ text, context: turns.slice(0, at).map((turn) => turn.text), evidence: known }];
  });

/** The time of a session, of which the data has the day. */
export const timeOf = ({ time }: Session): Date => new Date(`${time.slice(0, 10)}T12:00:00Z`);

/** A search in the sessions that were added. */
interface Search {
  readonly add: (session: Session) => Promise<void>;
  /** Returns the session of each found message, the best message first. */
  readonly ask: (request: Request) => Promise<readonly string[]>;
}

const RANKED = 100;
const USER = "user";

const sessionsOf = (
  found: readonly { readonly conversationId?: string | undefined; readonly position?: number | undefined }[],
) => [
  ...new Map(
    found.map(({ conversationId = "", position }) => [`${position}:${conversationId}`, conversationId]),
  ).values(),
];

/** Recalls what verbatim extraction keeps of the user's messages. */
function recalling(usesContext: boolean): Search {
  const memory = new MemoryUserMemory({ limits: { maxFacts: 20_000 } });
  return {
    add: async (session) => {
      for (const [position, { role, text }] of session.turns.entries()) {
        if (role !== "user") continue;
        const provenance = { conversationId: session.id, position, saidAt: timeOf(session) };
        for (const passage of quotableOf([text], () => false).passages)
          await memory.remember(USER, passage.text, { provenance });
      }
    },
    ask: async ({ text, context }) => {
      const found = await memory.recall(USER, text, { limit: RANKED, context: usesContext ? context : [] });
      return sessionsOf(found.map(({ provenance }) => provenance));
    },
  };
}

function searching(usesContext: boolean): Search {
  const provider = createInMemoryProvider();
  const messages = createMessageSearch(provider);
  return {
    add: async ({ id, turns }) => {
      const said = turns.map(({ role, text }): Message => ({ role, content: text }));
      const stored = await provider.storeMessages(id, said, { userId: USER });
      if (!stored.success) throw new Error(stored.error.message);
    },
    ask: async ({ text, context }) => {
      const found = await messages.search(USER, text, { limit: RANKED, context: usesContext ? context : [] });
      if (!found.success) throw new Error(found.error.message);
      return sessionsOf(found.data);
    },
  };
}

/** BM25 over whole messages. Indexes them again after each session with requests. */
function bm25(isWanted: (role: "user" | "assistant") => boolean): Search {
  const said: { readonly session: string; readonly text: string }[] = [];
  let find: ReturnType<typeof openBm25> | undefined;
  return {
    add: async ({ id, turns }) => {
      said.push(...turns.flatMap(({ role, text }) => (isWanted(role) ? [{ session: id, text }] : [])));
      find = undefined;
    },
    ask: async ({ text }) => {
      find ??= openBm25(said.map((one) => one.text));
      return find(text).flatMap((index) => said[index]?.session ?? []);
    },
  };
}

interface RealMemRow {
  readonly name: string;
  readonly open: () => Search;
}

const rows: readonly RealMemRow[] = [
  { name: "the user's messages: recall", open: () => recalling(false) },
  { name: "the user's messages: recall with context", open: () => recalling(true) },
  { name: "the user's messages: BM25", open: () => bm25((role) => role === "user") },
  { name: "all messages: searchMessages", open: () => searching(false) },
  { name: "all messages: searchMessages with context", open: () => searching(true) },
  { name: "all messages: BM25", open: () => bm25(() => true) },
];

export interface RealMemMarks {
  readonly name: string;
  /** Counts the sessions of the first messages. */
  readonly byMessages: Marks;
  /** Counts the first different sessions. */
  readonly bySessions: Marks;
}

/**
 * Asks each request at the moment when only the sessions before it exist. Counts how many of its evidence sessions are
 * found. `undefined` if the data is missing.
 */
export async function measureRealMem(): Promise<readonly RealMemMarks[] | undefined> {
  const people = readRealMem();
  if (people === undefined) return undefined;
  const marks: RealMemMarks[] = [];
  for (const { name, open } of rows) {
    const answers: Answer[] = [];
    for (const person of people) answers.push(...(await answersOf(person, open())));
    const bySessions = answers.map(({ ids, evidence }) => ({ ids: [...new Set(ids)], evidence }));
    marks.push({ name, byMessages: marksOf(answers), bySessions: marksOf(bySessions) });
  }
  return marks;
}

async function answersOf({ sessions }: Person, search: Search): Promise<readonly Answer[]> {
  const earlier = new Set<string>();
  const answers: Answer[] = [];
  for (const session of sessions) {
    for (const request of requestsIn(session, earlier))
      answers.push({ ids: await search.ask(request), evidence: request.evidence });
    await search.add(session);
    earlier.add(session.id);
  }
  return answers;
}
