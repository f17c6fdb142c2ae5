import type { Message } from "@jaf/memory";
import { holdsSecret, isUsersOwn, messageText } from "@jaf/memory/internal";
import type { ExtractionJob } from "../store.ts";
import { asks, sentencesIn } from "../text.ts";
import { isMarked, isOffRecord } from "./off-record-scope.ts";
import { oneLine, withoutSecrets } from "./passages.ts";
import { announcesText } from "./third-party-text.ts";

/** Maximum number of the user's messages of a turn that are read. They are the last ones. */
const MAX_MESSAGES = 32;
/** Maximum length of one message in UTF-16 units. Only its beginning is read. */
const MAX_TEXT = 20_000;
/** Maximum length of all messages together, in UTF-16 units. Each message gets an equal share. */
const MAX_SAID = 40_000;
const MAX_QUESTION = 300;
/** How much of all messages together is searched for a request not to keep something, in UTF-16 units. */
// The beginning and the end of each message, because a request is usually there.
const MAX_REQUEST = 8_000;
/** How much of each earlier message is searched for a request that covers what follows, in UTF-16 units. */
const MAX_EARLIER = 1_000;
const MAX_ANNOUNCEMENT = 2_000;
const UNPORTABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * The user's input in a turn:
 *
 * - `said`: the user's messages, without secrets.
 * - `position`: the position of the first message of `said` in the conversation.
 * - `question`: what the assistant asked before the turn.
 * - `isAnnounced`: whether the user's message before the turn announced third-party text.
 */
export type UserInput = Pick<ExtractionJob, "said" | "position" | "question" | "isAnnounced">;

interface TurnMessages {
  /** The known messages of the conversation, including those of the turn. */
  readonly messages: readonly Message[];
  readonly userMessages: readonly Message[];
  readonly position?: number | undefined;
}

/**
 * Reads the user's messages of a turn and removes secrets. Returns `"private"` if the user asked not to keep something.
 */
export function readUserInput({ messages, userMessages, position }: TurnMessages): UserInput | "private" {
  const texts = userMessages.map(ownText);
  if (isPrivate(texts, earlierThan(messages, userMessages).map(ownText))) return "private";
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

const earlierThan = (messages: readonly Message[], [first]: readonly Message[]): readonly Message[] =>
  messages.slice(0, first === undefined ? 0 : Math.max(0, messages.lastIndexOf(first)));

function before(messages: readonly Message[], userMessages: readonly Message[]) {
  const earlier = earlierThan(messages, userMessages);
  const last = earlier.at(-1);
  const asked = last?.role === "assistant" ? questionIn(messageText(last)) : "";
  const previous = earlier.findLast(({ role }) => role === "user");
  return {
    question: secretless(portable(asked, MAX_QUESTION)),
    isAnnounced: previous !== undefined && announcesText(ownText(previous).slice(-MAX_ANNOUNCEMENT)),
  };
}

/** Returns the text of a user message; `""` if a timer or background work sent the message. */
// Left out, the message would change the positions of those after it.
const ownText = (message: Message): string => (isUsersOwn(message) ? messageText(message) : "");

/** Whether the user asks not to keep what is said: in one of these messages, or earlier for what follows. */
export function isPrivate(said: readonly string[], earlier: readonly string[] = []): boolean {
  if (isMarked(said)) return true;
  const room = Math.floor(MAX_REQUEST / Math.max(1, said.length));
  return isOffRecord(
    said.map((text) => endsOf(text, room)),
    earlier.map((text) => endsOf(text, MAX_EARLIER)),
  );
}

/** Cuts a text to about `most` UTF-16 units: three quarters from its beginning, and one quarter from its end. */
function endsOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = Math.floor(most / 4);
  return `${text.slice(0, most - tail)}\n${text.slice(text.length - tail)}`;
}

/**
 * Removes secrets from an extraction job before the job is queued. Returns `undefined` if the user asked in the job's
 * messages not to keep something.
 */
export function redactJob(job: ExtractionJob): ExtractionJob | undefined {
  if (isPrivate(job.said, [])) return undefined;
  const { question, ...rest } = job;
  const asked = secretless(question ?? "");
  return {
    ...rest,
    said: job.said.map(withoutSecrets),
    reply: secretless(job.reply),
    ...(asked === "" ? {} : { question: asked }),
  };
}

/** Returns the text, or `""` if it contains a secret. */
export const secretless = (text: string): string => (holdsSecret(text) ? "" : text);

/** Cuts a text to `most` UTF-16 units. Replaces NULs and unpaired surrogates. */
// Some stores refuse them.
export const portable = (text: string, most: number): string =>
  text.slice(0, most).replaceAll(UNPORTABLE, "\ufffd");

/** Number of UTF-16 units at the end of an assistant's message where a question is looked for. */
const LOOKED_AT = 2_000;
const LAST_SENTENCES = 3;

/** Returns the question at the end of an assistant's message as one line, or `""` if there is no question. */
export function questionIn(text: string): string {
  // A question that is too long counts as none.
  const last = [...sentencesIn(text.slice(-LOOKED_AT))].slice(-LAST_SENTENCES);
  const question = last.findLast(({ segment }) => asks(segment))?.segment ?? "";
  return question.length > MAX_QUESTION ? "" : oneLine(question);
}
