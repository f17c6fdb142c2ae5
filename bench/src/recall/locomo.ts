import { readFileSync } from "node:fs";
import * as z from "zod";
import { UsageError } from "../program.ts";

/** A message of a conversation of the data set. */
export interface LocomoTurn {
  /** E.g. `D3:12`. */
  readonly id: string;
  readonly speaker: string;
  readonly text: string;
  /** E.g. `session_3`. */
  readonly session: string;
  /** Index in the session, from 0. */
  readonly position: number;
  /** The time of its session. */
  readonly saidAt: Date | undefined;
  /** The data set's notes about it. */
  readonly facts: readonly string[];
}

export interface LocomoQuestion {
  readonly text: string;
  /** The turns that contain the answer. */
  readonly evidence: readonly string[];
}

export interface LocomoConversation {
  readonly id: string;
  readonly turns: readonly LocomoTurn[];
  readonly questions: readonly LocomoQuestion[];
}

const turnSchema = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string().catch(""),
  blip_caption: z.string().optional().catch(undefined),
});
const noteSchema = z.tuple([z.string(), z.union([z.string(), z.array(z.string())])]);
/** Groups notes by session and speaker. Notes of another form are left out. */
const observationSchema = z.record(
  z.string(),
  z.record(z.string(), z.array(noteSchema.or(z.unknown().transform(() => undefined))).catch([])).catch({}),
);
const questionSchema = z.object({
  question: z.coerce.string(),
  evidence: z.array(z.string()).catch([]),
  category: z.coerce.number(),
});
const conversationSchema = z.object({
  sample_id: z.string(),
  conversation: z.record(z.string(), z.unknown()),
  observation: observationSchema.catch({}),
  qa: z.array(questionSchema),
});

/** Questions of category 5 have no answer in the conversation. */
const ANSWERABLE = [1, 2, 3, 4];
const TURN_ID = /D\d+:\d+/g;

const turnIds = (text: string): readonly string[] => text.match(TURN_ID) ?? [];

function read(path: string): readonly z.infer<typeof conversationSchema>[] {
  try {
    return z.array(conversationSchema).parse([JSON.parse(readFileSync(path, "utf8")) as unknown].flat());
  } catch (cause) {
    const reason =
      cause instanceof z.ZodError ? "it isn't in the format of snap-research/locomo" : String(cause);
    throw new UsageError(`Cannot read conversations from ${path}: ${reason}.`, { cause });
  }
}

/** Reads conversations in the format of snap-research/locomo. Throws a {@link UsageError}. */
export const readLocomo = (path: string): readonly LocomoConversation[] =>
  read(path).map((raw) => {
    const turns = turnsOf(raw);
    const known = new Set(turns.map(({ id }) => id));
    const questions = raw.qa.flatMap(({ question, evidence, category }) => {
      const ids = [...new Set(evidence.flatMap(turnIds))].filter((id) => known.has(id));
      const counts = ANSWERABLE.includes(category) && ids.length > 0;
      return counts ? [{ text: question, evidence: ids }] : [];
    });
    return { id: raw.sample_id, turns, questions };
  });

function turnsOf({ conversation, observation }: z.infer<typeof conversationSchema>): readonly LocomoTurn[] {
  const facts = factsByTurn(observation);
  const sessions = Object.keys(conversation).filter((key) => /^session_\d+$/.test(key));
  const numberOf = (session: string) => Number(session.slice("session_".length));
  return sessions
    .sort((a, b) => numberOf(a) - numberOf(b))
    .flatMap((session) => {
      const saidAt = timeOf(conversation[`${session}_date_time`]);
      return z
        .array(turnSchema)
        .parse(conversation[session] ?? [])
        .map(({ dia_id: id, speaker, text, blip_caption: caption }, position) => ({
          ...{ id, speaker, session, position, saidAt },
          text: caption === undefined ? text : `${text}\n${caption}`,
          facts: facts.get(id) ?? [],
        }));
    })
    .filter(({ text }) => text.trim() !== "");
}

function factsByTurn(observation: z.infer<typeof observationSchema>): ReadonlyMap<string, readonly string[]> {
  const facts = new Map<string, string[]>();
  for (const speakers of Object.values(observation)) {
    for (const note of Object.values(speakers).flat()) {
      const [fact, source] = note ?? ["", ""];
      for (const id of turnIds([source].flat().join(" "))) facts.set(id, [...(facts.get(id) ?? []), fact]);
    }
  }
  return facts;
}

/** Parses e.g. `1:56 pm on 8 May, 2023` as UTC. */
function timeOf(text: unknown): Date | undefined {
  const [, hour, minute, half, date] =
    /^(\d+):(\d+) (am|pm) on (.+)$/.exec(typeof text === "string" ? text : "") ?? [];
  if (hour === undefined) return undefined;
  const hours = (Number(hour) % 12) + (half === "pm" ? 12 : 0);
  const time = new Date(`${date?.replace(",", "")} ${hours}:${minute} UTC`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
