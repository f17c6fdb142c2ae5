import { createInMemoryProvider, type Message } from "@jaf/memory";
import { createMessageSearch, MemoryUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import { quotableOf } from "../../../packages/user-memory/src/evidence/passages.ts";
import { openBm25 } from "./bm25.ts";
import { type Chat, type ChatTurn, readSet, restricted, type SetName } from "./chats.ts";
import { type Answer, type Marks, marksOf } from "./marks.ts";

const RANKED = 100;

/** The remembered texts of a turn. */
interface Item {
  readonly fact: string;
  readonly evidence?: string | undefined;
}

/** One row of the table: a data set, its searched content, and the kind of search. */
export interface SetRow {
  readonly name: string;
  readonly set: SetName;
  readonly isWanted: (turn: ChatTurn) => boolean;
  /** Absent: `searchMessages` searches all messages. */
  readonly itemsOf?: (turn: ChatTurn) => readonly Item[];
}

const everything = () => true;
const asSaid = ({ text }: ChatTurn): readonly Item[] => [{ fact: text }];

export const setRows: readonly SetRow[] = [
  { name: "LoCoMo, turns", set: "locomo", isWanted: everything, itemsOf: asSaid },
  {
    ...{ name: "LoCoMo, facts with their turns", set: "locomo", isWanted: everything },
    itemsOf: (turn) =>
      turn.facts.length === 0 ? asSaid(turn) : [{ fact: turn.facts.join(" "), evidence: turn.text }],
  },
  {
    ...{ name: "BEAM, the user's messages", set: "beam", isWanted: ({ role }) => role === "user" },
    // Like verbatim extraction.
    itemsOf: ({ text }) =>
      quotableOf([text], () => false).passages.map((passage) => ({ fact: passage.text })),
  },
  { name: "BEAM, all messages, by searchMessages", set: "beam", isWanted: everything },
  { name: "REALTALK, turns", set: "realtalk", isWanted: everything, itemsOf: asSaid },
];

export interface SetMarks {
  readonly name: string;
  readonly ours: Marks;
  readonly bm25: Marks;
}

/** Allows more than the default. */
export const limits = { maxFacts: 20_000 };

/** Uses the API with default options, in memory. `undefined` if the data is missing. */
export async function measureSet(row: SetRow): Promise<SetMarks | undefined> {
  const chats = readSet(row.set)?.map((chat) => restricted(chat, row.isWanted));
  if (chats === undefined) return undefined;
  const ours = await Promise.all(chats.map((chat) => askChat(row, chat)));
  return {
    name: row.name,
    ours: marksOf(ours.flat()),
    bm25: marksOf(chats.flatMap((chat) => askBm25(row, chat))),
  };
}

export const textOf = (items: readonly Item[]): string =>
  items.map(({ fact, evidence }) => `${fact}\n${evidence ?? ""}`).join("\n");

/** Uses each whole turn as a document. */
function askBm25({ name, itemsOf }: SetRow, { turns, questions }: Chat) {
  const isFacts = name.includes("facts");
  const search = openBm25(turns.map((turn) => (isFacts && itemsOf ? textOf(itemsOf(turn)) : turn.text)));
  return questions.map(({ text, evidence }) => ({
    ids: search(text).flatMap((index) => turns[index]?.id ?? []),
    evidence,
  }));
}

const placeOf = (conversationId: string, position: number) => `${position}:${conversationId}`;

const turnsByPlace = ({ turns }: Chat): ReadonlyMap<string, string> =>
  new Map(turns.map(({ session, position, id }) => [placeOf(session, position), id]));

async function askChat({ itemsOf }: SetRow, chat: Chat): Promise<readonly Answer[]> {
  if (itemsOf === undefined) return askMessages(chat);
  const memory = new MemoryUserMemory({ limits });
  const answers = await askMemory(memory, chat, itemsOf);
  await memory.close();
  return answers;
}

/** Remembers a conversation as its user's facts, and asks its questions. */
export async function askMemory(
  memory: UserMemoryStore,
  chat: Chat,
  itemsOf: NonNullable<SetRow["itemsOf"]>,
): Promise<readonly Answer[]> {
  const isWithAssistant = chat.turns.every(({ speaker }) => speaker === "user");
  for (const turn of chat.turns) {
    const { session: conversationId, position, speaker, saidAt } = turn;
    const author = isWithAssistant ? undefined : speaker;
    for (const { fact, evidence } of itemsOf(turn)) {
      await memory.remember(chat.id, fact, {
        provenance: { conversationId, position, author, saidAt, evidence },
      });
    }
  }
  const turnAt = turnsByPlace(chat);
  const answers = [];
  for (const { text, evidence } of chat.questions) {
    const found = await memory.recall(chat.id, text, { limit: RANKED });
    const ids = found.flatMap(({ provenance: { conversationId = "", position = -1 } }) => {
      return turnAt.get(placeOf(conversationId, position)) ?? [];
    });
    answers.push({ ids: [...new Set(ids)], evidence });
  }
  return answers;
}

async function askMessages(chat: Chat): Promise<readonly Answer[]> {
  const provider = createInMemoryProvider();
  const sessions = grouped(chat.turns);
  for (const [session, turns] of sessions) {
    const messages: Message[] = [];
    for (const { position, role, text } of turns) messages[position] = { role, content: text };
    const whole = Array.from(messages, (message) => message ?? { role: "user", content: "" });
    const stored = await provider.storeMessages(session, whole, { userId: chat.id });
    if (!stored.success) throw new Error(stored.error.message);
  }
  const search = createMessageSearch(provider);
  const turnAt = turnsByPlace(chat);
  const answers = [];
  for (const { text, evidence } of chat.questions) {
    const found = await search.search(chat.id, text, { limit: RANKED });
    if (!found.success) throw new Error(found.error.message);
    const ids = found.data.flatMap(
      ({ conversationId, position }) => turnAt.get(placeOf(conversationId, position)) ?? [],
    );
    answers.push({ ids, evidence });
  }
  return answers;
}

function grouped(turns: readonly ChatTurn[]): ReadonlyMap<string, readonly ChatTurn[]> {
  const sessions = new Map<string, ChatTurn[]>();
  for (const turn of turns) sessions.set(turn.session, [...(sessions.get(turn.session) ?? []), turn]);
  return sessions;
}
