import { readFileSync } from "node:fs";
import type { Message } from "@jaf/memory";
import {
  asUserMemory,
  type MemoryEntry,
  MemoryUserMemory,
  recallForTurn,
  type UserMemoryStore,
} from "@jaf/user-memory";
import * as z from "zod";
import { readSet, restricted } from "./chats.ts";
import { marksOf } from "./marks.ts";
import { askMemory, limits, type SetRow } from "./sets.ts";

const DATA = new URL("../../data/unprompted.json", import.meta.url);

const texts = z.array(z.string());
const userSchema = z.object({
  stated: texts,
  said: texts,
  idle: z.array(texts),
  needed: z.array(z.tuple([z.string(), z.string()])),
});
const dataSchema = z.object({
  users: z.record(z.string(), userSchema),
  messages: z.object({ junk: texts, useful: texts }),
});

type User = z.infer<typeof userSchema>;

const readData = () => dataSchema.parse(JSON.parse(readFileSync(DATA, "utf8")));

/** `"development"`: the items with an even index. `"kept"`: the other items, which no rule was tuned on. */
export const halves = ["development", "kept"] as const;
export type Half = (typeof halves)[number];

const halfOf = <T>(items: readonly T[], half: Half): readonly T[] =>
  items.filter((_, index) => (index % 2 === 0) === (half === "development"));

/** What the middleware adds to prompts, in percent of the turns unless stated otherwise. */
export interface Injected {
  /** Turns that need no fact. */
  readonly idle: number;
  /** Share of those turns that get facts. */
  readonly falsely: number;
  /** Mean number of facts in such a turn's prompt. */
  readonly facts: number;
  /** Turns that need a fact. */
  readonly needed: number;
  /** Share of those turns that get this fact. */
  readonly found: number;
}

/** Measures what the middleware adds to the prompts of turns that need a fact, and of turns that need none. */
export async function measureInjected(half: Half): Promise<Injected> {
  let [idle, falsely, facts, needed, found] = [0, 0, 0, 0, 0];
  for (const [user, data] of Object.entries(readData().users)) {
    const memory = await memoryOf(user, data);
    const inject = async (messages: readonly Message[]): Promise<readonly string[]> => {
      const injected: MemoryEntry[] = [];
      const turn = { messages, complete: async () => "" };
      await recallForTurn({ user }, turn, {
        memory,
        inject: { onInjected: (entries) => injected.push(...entries) },
      });
      return injected.map(({ fact }) => fact);
    };
    for (const conversation of halfOf(data.idle, half)) {
      for (const turn of conversation.keys()) {
        const got = await inject(messagesUpTo(conversation, turn));
        idle++;
        falsely += got.length > 0 ? 1 : 0;
        facts += got.length;
      }
    }
    for (const [asked, wanted] of halfOf(data.needed, half)) {
      const got = await inject([{ role: "user", content: asked }]);
      needed++;
      found += got.some((fact) => fact.includes(wanted)) ? 1 : 0;
    }
    await memory.close();
  }
  const share = (count: number, all: number) => (100 * count) / all;
  return { idle, falsely: share(falsely, idle), facts: facts / idle, needed, found: share(found, needed) };
}

/** Returns the messages of a conversation up to the user's turn with this index, with short replies between them. */
const messagesUpTo = (conversation: readonly string[], turn: number): readonly Message[] =>
  conversation
    .slice(0, turn + 1)
    .flatMap((text, index): readonly Message[] => [
      ...(index === 0 ? [] : [{ role: "assistant" as const, content: "Here you are." }]),
      { role: "user", content: text },
    ]);

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse("2026-03-02T09:00:00Z");
/** Number of quotations that come from one conversation. */
const PER_CONVERSATION = 3;

async function memoryOf(user: string, { stated, said }: User): Promise<MemoryUserMemory> {
  const memory = new MemoryUserMemory();
  for (const fact of stated) await memory.remember(user, fact);
  for (const [index, fact] of said.entries()) {
    const conversation = Math.floor(index / PER_CONVERSATION);
    await memory.remember(user, fact, {
      quotation: { from: "message" },
      provenance: {
        conversationId: `${user} ${conversation}`,
        position: 2 * (index % PER_CONVERSATION),
        author: "user",
        saidAt: new Date(FIRST_DAY + conversation * DAY_MS),
      },
    });
  }
  return memory;
}

/** The share of messages of which verbatim extraction stores something, in percent. */
export interface StoredMessages {
  /** Of questions, commands and small talk that say nothing about the user. */
  readonly junk: number;
  /** Of messages that say something about the user. */
  readonly useful: number;
}

/** Measures of which messages verbatim extraction stores something. Each message is a conversation of its own. */
export async function measureStored(half: Half): Promise<StoredMessages> {
  const { junk, useful } = readData().messages;
  const share = async (messages: readonly string[]): Promise<number> => {
    const stored = await Promise.all(halfOf(messages, half).map(isStored));
    return (100 * stored.filter((is) => is).length) / stored.length;
  };
  return { junk: await share(junk), useful: await share(useful) };
}

async function isStored(message: string): Promise<boolean> {
  const memory = new MemoryUserMemory();
  const messages = [{ role: "user" as const, content: message }];
  const turn = { messages, complete: async () => "" };
  const { learn } = await recallForTurn({ user: "u", extract: "verbatim" }, turn, { memory });
  await learn("Here you are.");
  await memory.drain();
  const facts = await memory.list("u");
  await memory.close();
  return facts.length > 0;
}

/** R@10 of `recall` on the facts of a data set, in percent. */
export interface Gated {
  readonly all: number;
  /** With `relevantOnly`, as for prompts. */
  readonly relevantOnly: number;
}

/** Measures what `relevantOnly` loses of the facts that questions need. `undefined` if the data is missing. */
export async function measureGated(row: SetRow): Promise<Gated | undefined> {
  const { itemsOf } = row;
  const chats = readSet(row.set)?.map((chat) => restricted(chat, row.isWanted));
  if (chats === undefined || itemsOf === undefined) return undefined;
  const recallAt10 = async (relevantOnly: boolean): Promise<number> => {
    const answers = [];
    for (const chat of chats) {
      const memory = new MemoryUserMemory({ limits });
      const recall: UserMemoryStore["recall"] = (user, query) =>
        memory.recall(user, query, { limit: 10, relevantOnly });
      answers.push(...(await askMemory({ ...asUserMemory(memory), recall }, chat, itemsOf)));
      await memory.close();
    }
    return marksOf(answers).recallAt[10];
  };
  return { all: await recallAt10(false), relevantOnly: await recallAt10(true) };
}
