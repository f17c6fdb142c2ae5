import type { Embed } from "@jaf/user-memory";
import type { Chat } from "./chats.ts";
import { type Marks, marksOf } from "./marks.ts";
import { askMemory, chatsOf, type SetRow, setRows } from "./sets.ts";

/** An embedder made for a conversation; only the oracle looks at what it is. */
interface Embedder {
  readonly name: string;
  readonly open: (chat: Chat, itemsOf: NonNullable<SetRow["itemsOf"]>) => Embed;
}

export interface EmbedderMarks {
  readonly name: string;
  readonly words: Marks;
  /** By the embedder's name. */
  readonly embedded: readonly { readonly name: string; readonly marks: Marks }[];
}

type Vector = readonly number[];

const FEW = 64;
/** With so many, vectors at random are next to at right angles. */
const MANY = 512;

/** From 0 to 1, by FNV-1a of what is given and a step that mixes it. */
function chance(text: string, index: number): number {
  let hash = 0x811c9dc5 ^ index;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

const randomVector = (text: string, size: number): Vector =>
  Array.from({ length: size }, (_, index) => chance(text, index) - 0.5);

const sumOf = (vectors: readonly Vector[], size: number): Vector =>
  Array.from({ length: size }, (_, index) => vectors.reduce((sum, vector) => sum + (vector[index] ?? 0), 0));

function trigrams(text: string): Vector {
  const counts = new Array<number>(FEW).fill(0);
  const plain = ` ${text.toLowerCase()} `;
  for (let at = 0; at + 3 <= plain.length; at++) {
    const slot = Math.floor(FEW * chance(plain.slice(at, at + 3), 0));
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  return counts;
}

const words = (text: string): Vector =>
  sumOf(
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]).map((word) => randomVector(word, FEW)),
    FEW,
  );

const of =
  (vectorOf: (text: string) => Vector): Embedder["open"] =>
  () =>
  async (texts) =>
    texts.map((text) => [...vectorOf(text)]);

/** What answers a question has a vector like it; some noise beside, as of a model that is good and not perfect. */
function openOracle(chat: Chat, itemsOf: NonNullable<SetRow["itemsOf"]>): Embed {
  const answers = new Map<string, Vector[]>();
  for (const { text, evidence } of chat.questions) {
    const answering = chat.turns.filter(({ id }) => evidence.includes(id));
    for (const item of new Set(answering.flatMap((turn) => itemsOf(turn).map(({ fact }) => fact))))
      answers.set(item, [...(answers.get(item) ?? []), randomVector(text, MANY)]);
  }
  const vectorOf = (text: string) => sumOf([randomVector(text, MANY), ...(answers.get(text) ?? [])], MANY);
  return async (texts) => texts.map((text) => [...vectorOf(text)]);
}

const embedders: readonly Embedder[] = [
  { name: "random", open: of((text) => randomVector(text, FEW)) },
  { name: "letter trigrams", open: of(trigrams) },
  { name: "averaged words", open: of(words) },
  { name: "oracle", open: openOracle },
];

/** Each set that is remembered, by words alone and with each embedder; those whose data isn't there are left out. */
export async function measureEmbedders(): Promise<readonly EmbedderMarks[]> {
  const rows: EmbedderMarks[] = [];
  for (const row of setRows) {
    const { name, itemsOf } = row;
    const chats = chatsOf(row);
    if (itemsOf === undefined || chats === undefined) continue;
    const ask = async (embedder?: Embedder): Promise<Marks> => {
      const answers = await Promise.all(
        chats.map((chat) => askMemory(chat, itemsOf, embedder?.open(chat, itemsOf))),
      );
      return marksOf(answers.flat());
    };
    const embedded = [];
    for (const embedder of embedders) embedded.push({ name: embedder.name, marks: await ask(embedder) });
    rows.push({ name, words: await ask(), embedded });
  }
  return rows;
}
