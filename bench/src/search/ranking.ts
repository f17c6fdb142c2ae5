import { existsSync, readFileSync } from "node:fs";
import type { MemoryProvider, Message } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createPostgresMessageIndex } from "@jaf/memory-postgres/user-memory";
import { createMessageSearch, type MessageSearch } from "@jaf/user-memory";
import type pg from "pg";
import * as z from "zod";
import type { Lab } from "../lab.ts";
import { readSet } from "../recall/chats.ts";
import { type Answer, marksOf } from "../recall/marks.ts";
import { renderTable } from "../report.ts";

const RANKED = 100;

interface Question {
  readonly text: string;
  readonly evidence: readonly string[];
}

interface Session {
  readonly id: string;
  readonly messages: readonly Message[];
  /** The questions that are asked when the sessions before this one are stored. */
  readonly questions: readonly Question[];
}

interface Person {
  readonly id: string;
  readonly sessions: readonly Session[];
  /** The name of the evidence in a message. */
  readonly evidenceAt: (conversationId: string, position: number) => string;
}

function readBeam(): readonly Person[] {
  return (readSet("beam") ?? []).map((chat) => {
    const sessions = new Map<string, Message[]>();
    for (const { session, position, role, text } of chat.turns) {
      const messages = sessions.get(session) ?? [];
      sessions.set(session, messages);
      messages[position] = { role, content: text };
    }
    const names = new Map(chat.turns.map(({ session, position, id }) => [`${position}:${session}`, id]));
    const stored = Array.from(sessions, ([id, messages]) => ({
      id,
      messages: Array.from(messages, (message) => message ?? { role: "user" as const, content: "" }),
      questions: [],
    }));
    return {
      id: `beam ${chat.id}`,
      sessions: [...stored, { id: "questions", messages: [], questions: chat.questions }],
      evidenceAt: (conversationId, position) => names.get(`${position}:${conversationId}`) ?? "",
    };
  });
}

const realmemSchema = z.array(
  z.object({
    sessions: z.array(
      z.object({
        id: z.string(),
        turns: z.array(
          z.object({
            role: z.enum(["user", "assistant"]),
            text: z.string(),
            evidence: z.array(z.string()).optional(),
          }),
        ),
      }),
    ),
  }),
);

function readRealmem(): readonly Person[] {
  const path = new URL("../../../../shared/data/realmem-dev-3.json", import.meta.url).pathname;
  if (!existsSync(path)) return [];
  return realmemSchema.parse(JSON.parse(readFileSync(path, "utf8"))).map(({ sessions }, person) => {
    const order = new Map(sessions.map(({ id }, at) => [id, at]));
    return {
      id: `realmem ${person}`,
      sessions: sessions.map(({ id, turns }, at) => ({
        id,
        messages: turns.map(({ role, text }): Message => ({ role, content: text })),
        questions: turns.flatMap(({ text, evidence = [] }) => {
          const earlier = [...new Set(evidence)].filter((one) => (order.get(one) ?? at) < at);
          return earlier.length === 0 ? [] : [{ text, evidence: earlier }];
        }),
      })),
      evidenceAt: (conversationId) => conversationId,
    };
  });
}

async function store(provider: MemoryProvider, { id, messages }: Session, userId: string): Promise<void> {
  if (messages.length === 0) return;
  const stored = await provider.storeMessages(`${userId} ${id}`, messages, { userId });
  if (!stored.success) throw new Error(stored.error.message);
}

async function ask(search: MessageSearch, person: Person, { text, evidence }: Question): Promise<Answer> {
  const found = await search.search(person.id, text, { limit: RANKED });
  if (!found.success) throw new Error(found.error.message);
  const ids = found.data.flatMap(({ conversationId, position }) => {
    const name = person.evidenceAt(conversationId.slice(person.id.length + 1), position);
    return name === "" ? [] : [name];
  });
  return { ids, evidence };
}

/** Compares the rankings of both indexes on BEAM and RealMem: all messages, each person a user. */
export async function measureRanking(pool: pg.Pool, lab: Lab): Promise<string> {
  const provider = await createPostgresProvider({}, pool);
  const stored = createMessageSearch(provider, { index: await createPostgresMessageIndex({}, pool) });
  const inProcess = createMessageSearch(provider, {
    maxMessagesPerUser: 1_000_000,
    maxBytesPerUser: 1_000_000_000,
  });
  const rows: string[][] = [];
  for (const [name, people] of [
    ["BEAM", readBeam()],
    ["RealMem", readRealmem()],
  ] as const) {
    lab.progress(`ranking, ${name}`);
    const answers: Record<"stored" | "inProcess", Answer[]> = { stored: [], inProcess: [] };
    for (const person of people) {
      await provider.clearUserConversations(person.id);
      for (const session of person.sessions) {
        for (const question of session.questions) {
          answers.stored.push(await ask(stored, person, question));
          answers.inProcess.push(await ask(inProcess, person, question));
        }
        await store(provider, session, person.id);
      }
    }
    for (const [index, one] of Object.entries(answers)) {
      const { recallAt, questions } = marksOf(one);
      rows.push([
        name,
        index,
        String(questions),
        ...[1, 5, 10].map((k) => recallAt[k as 1 | 5 | 10].toFixed(1)),
      ]);
    }
  }
  return renderTable({ columns: ["set", "index", "questions", "R@1", "R@5", "R@10"], rows });
}
