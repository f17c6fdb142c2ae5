import type { Message } from "@jaf/memory";
import { holdsSecret, messageText } from "@jaf/memory/internal";
import type { ExtractionJob } from "../store.ts";
import { asks, sentencesIn } from "../text.ts";
import { asksNotToKeep } from "./off-record.ts";
import { oneLine, withoutSecrets } from "./passages.ts";
import { announcesText } from "./third-party-text.ts";

/** Of a turn, so many messages and UTF-16 units are looked at: the last messages, and of each its beginning. */
const MAX_MESSAGES = 32;
const MAX_TEXT = 20_000;
const MAX_SAID = 40_000;
const MAX_QUESTION = 300;
/** What somebody asks stands at the beginning or at the end of what they say. */
const MAX_REQUEST = 8_000;
const MAX_ANNOUNCEMENT = 2_000;
const UNPORTABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** What the user said in a turn, without its secrets, and the context that shows how it is meant. */
export type UserInput = Pick<ExtractionJob, "said" | "position" | "question" | "isAnnounced">;

interface TurnMessages {
  /** The conversation, as far as it is known. */
  readonly messages: readonly Message[];
  readonly userMessages: readonly Message[];
  readonly position?: number | undefined;
}

/** `"private"`: the user asked that something isn't kept, so nothing of the turn is. */
export function readUserInput({ messages, userMessages, position }: TurnMessages): UserInput | "private" {
  const texts = userMessages.map(messageText);
  if (isOffRecord(texts)) return "private";
  const skipped = Math.max(0, texts.length - MAX_MESSAGES);
  const room = Math.min(MAX_TEXT, Math.floor(MAX_SAID / Math.max(1, texts.length - skipped)));
  const { question, isAnnounced } = before(messages, userMessages);
  return {
    said: texts.slice(skipped).map((text) => withoutSecrets(portable(text, room))),
    ...(position === undefined ? {} : { position: position + skipped }),
    ...(question === "" ? {} : { question }),
    ...(isAnnounced ? { isAnnounced } : {}),
  };
}

function before(messages: readonly Message[], [first]: readonly Message[]) {
  const earlier = messages.slice(0, first === undefined ? 0 : Math.max(0, messages.lastIndexOf(first)));
  const last = earlier.at(-1);
  const asked = last?.role === "assistant" ? questionIn(messageText(last)) : "";
  const previous = earlier.findLast(({ role }) => role === "user");
  return {
    question: secretless(portable(asked, MAX_QUESTION)),
    isAnnounced: previous !== undefined && announcesText(messageText(previous).slice(-MAX_ANNOUNCEMENT)),
  };
}

function isOffRecord(said: readonly string[]): boolean {
  const room = Math.floor(MAX_REQUEST / Math.max(1, said.length));
  return said.some((text) => asksNotToKeep(endsOf(text, room)));
}

/** Of a longer text three quarters from its beginning, and one from its end. */
function endsOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = Math.floor(most / 4);
  return `${text.slice(0, most - tail)}\n${text.slice(text.length - tail)}`;
}

/** A job as the queue may hold it, without secrets; `undefined` where the user asked that something isn't kept. */
export function redactJob(job: ExtractionJob): ExtractionJob | undefined {
  if (isOffRecord(job.said)) return undefined;
  const { question, ...rest } = job;
  const asked = secretless(question ?? "");
  return {
    ...rest,
    said: job.said.map(withoutSecrets),
    reply: secretless(job.reply),
    ...(asked === "" ? {} : { question: asked }),
  };
}

/** Of a text with a secret, nothing. */
export const secretless = (text: string): string => (holdsSecret(text) ? "" : text);

/** A text that every store keeps as it is. */
export const portable = (text: string, most: number): string =>
  text.slice(0, most).replaceAll(UNPORTABLE, "\ufffd");

/** What an assistant asks stands at the end of what it says. */
const LOOKED_AT = 2_000;
const LAST_SENTENCES = 3;

/** The question that a message ends with, in one line; `""` where it asks nothing. */
export function questionIn(text: string): string {
  const last = [...sentencesIn(text.slice(-LOOKED_AT))].slice(-LAST_SENTENCES);
  const question = last.findLast(({ segment }) => asks(segment))?.segment ?? "";
  return question.length > MAX_QUESTION ? "" : oneLine(question);
}
