import { existsSync, readFileSync } from "node:fs";
import * as z from "zod";
import { UsageError } from "../program.ts";
import { type LocomoConversation, type LocomoTurn, readLocomo } from "./locomo.ts";

/** A message of a conversation with an assistant, or between people. */
export interface ChatTurn extends LocomoTurn {
  readonly role: "user" | "assistant";
}

export interface Chat extends Omit<LocomoConversation, "turns"> {
  readonly turns: readonly ChatTurn[];
}

const folder = new URL("../../../../shared/data/", import.meta.url).pathname;

const turnSchema = z.object({
  id: z.string(),
  role: z.enum(["user", "assistant"]),
  speaker: z.string(),
  session: z.string(),
  position: z.int(),
  saidAt: z.string().nullable(),
  text: z.string(),
});
const chatSchema = z.object({
  id: z.string(),
  turns: z.array(turnSchema),
  questions: z.array(z.object({ text: z.string(), evidence: z.array(z.string()) })),
});

function readChats(path: string): readonly Chat[] {
  const parsed = z.array(chatSchema).safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (!parsed.success) throw new UsageError(`Cannot read conversations from ${path}: another format.`);
  return parsed.data.map(({ id, turns, questions }) => ({
    id,
    turns: turns.map((turn) => ({ ...turn, saidAt: timeOf(turn.saidAt), facts: [] })),
    questions: questions.map(({ text, evidence }) => ({ text, evidence: [...new Set(evidence)] })),
  }));
}

function timeOf(text: string | null): Date | undefined {
  const time = new Date(text === null || text.includes("T") ? (text ?? "") : `${text} UTC`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** Keeps only wanted turns with text, and questions whose evidence is completely in them. */
export function restricted({ id, turns, questions }: Chat, isWanted: (turn: ChatTurn) => boolean): Chat {
  const kept = turns.filter((turn) => turn.text.trim() !== "" && isWanted(turn));
  const ids = new Set(kept.map((turn) => turn.id));
  const answerable = questions.filter(
    ({ evidence }) => evidence.length > 0 && evidence.every((one) => ids.has(one)),
  );
  return { id, turns: kept, questions: answerable };
}

export type SetName = "locomo" | "beam" | "realtalk";

const FILES: Readonly<Record<SetName, string>> = {
  locomo: "locomo-dev-3.json",
  beam: "beam-dev-5.json",
  realtalk: "realtalk-dev-3.json",
};

/** Conversations in the format of snap-research/locomo. Throws a {@link UsageError}. */
export const readLocomoChats = (path: string): readonly Chat[] =>
  readLocomo(path)
    .map(({ turns, ...chat }) => ({
      ...chat,
      turns: turns.map((turn) => ({ ...turn, role: "user" as const })),
    }))
    .map((chat) => restricted(chat, () => true));

/** `undefined` if the data is missing. */
export function readSet(name: SetName): readonly Chat[] | undefined {
  const path = `${folder}${FILES[name]}`;
  if (!existsSync(path)) return undefined;
  if (name === "locomo") return readLocomoChats(path);
  return readChats(path).map((chat) => restricted(chat, () => true));
}
