import { messageText } from "@jaf/memory/history";
import { REPLY } from "./agent.ts";
import type { Note } from "./notes.ts";
import type { Played } from "./player.ts";
import type { Program } from "./program.ts";
import type { SurveyedTurn } from "./rest.ts";
import { saidIn } from "./words.ts";

/**
 * Compares what is stored with what happened. Returns the broken rules. Fewer rules hold if a turn's calls and replies are
 * stored at its end: they are lost if the turn is stopped, fails or goes on in another process. What the turn took from
 * the inbox then waits there again.
 */
export const brokenRules = (played: Played): readonly string[] => [
  ...played.problems,
  ...brokenMessages(played),
  ...brokenViews(played),
  ...brokenCalls(played),
  ...brokenTurns(played),
];

/** Whether each reply and each message of the inbox is stored before the turn goes on. */
const isStoredAtOnce = ({ program }: Played): boolean => program.durability === "step";

const repeatedIn = (texts: readonly string[]): readonly string[] =>
  texts.filter((text, at) => texts.indexOf(text) !== at);

/** What the user said: nothing is lost, doubled or reordered. */
function brokenMessages({ messages, notes, program }: Played): readonly string[] {
  const broken: string[] = [];
  const said = saidIn(messages);
  broken.push(...repeatedIn(said).map((text) => `${text} is stored twice`));
  const all = notes.all();
  const saying = notes.of("saying");
  for (const text of said)
    if (!saying.some((each) => each.text === text))
      broken.push(`${text} is stored, but the user never said it`);
  for (const { text } of notes.of("said")) if (!said.includes(text)) broken.push(`${text} is lost`);
  const isSure = !program.operations.some(({ fault }) => fault !== undefined);
  for (const { text, reason } of notes.of("refused"))
    if (isSure && said.includes(text)) broken.push(`${text} is stored, but it was refused: ${reason}`);
  const entries = notes.of("entry").map(({ text }) => text);
  const taken = said.filter((text) => !text.startsWith("c"));
  if (entries.join() !== taken.join())
    broken.push(`the inbox had ${entries.join()}, the conversation has ${taken.join()}`);
  // What was confirmed before the next thing was said comes before it.
  for (const one of saying) {
    // Timers that are due have no order.
    if (one.by === "timer") continue;
    const confirmedAt = all.findIndex((note) => note.type === "said" && note.text === one.text);
    if (confirmedAt === -1) continue;
    for (const other of saying) {
      if (other.by !== one.by || all.indexOf(other) < confirmedAt || !said.includes(other.text)) continue;
      if (said.indexOf(other.text) < said.indexOf(one.text))
        broken.push(`${other.text} was said after ${one.text}, but comes before it`);
    }
  }
  return broken;
}

/** What the model saw and replied. */
function brokenViews(played: Played): readonly string[] {
  const { messages, notes } = played;
  const broken: string[] = [];
  const said = saidIn(messages);
  for (const { texts, isValid } of notes.of("model")) {
    if (!isValid) broken.push("a model call got messages that no model provider takes");
    if (isStoredAtOnce(played) && texts.join() !== said.slice(0, texts.length).join())
      broken.push(`a model call saw ${texts.join()}, and ${said.join()} is stored`);
  }
  const replies = messages.filter(({ role }) => role === "assistant").map(messageText);
  const numbers = replies.map((text) => /^r\d+/.exec(text)?.[0] ?? text);
  broken.push(...repeatedIn(numbers).map((number) => `the reply ${number} is stored twice`));
  const stopped = stoppedTexts(played);
  for (const [at, message] of messages.entries()) {
    // Stored without the messages of the inbox that it answers.
    if (!isStoredAtOnce(played) && stopped.has(messageText(message))) continue;
    const saw = REPLY.exec(messageText(message))?.[2];
    const before = saidIn(messages.slice(0, at)).length;
    if (message.role === "assistant" && saw !== undefined && Number(saw) !== before)
      broken.push(`a reply to ${saw} messages comes after ${before}`);
  }
  return broken;
}

/** Returns the texts of replies that were stopped. */
const stoppedTexts = ({ turns }: Played): ReadonlySet<string> =>
  new Set(
    turns.flatMap(({ events }) =>
      events.flatMap((event) =>
        event.type === "message" && event.stopped ? [messageText(event.message)] : [],
      ),
    ),
  );

/**
 * Returns how many of the notes are of the time before the process decided to run its tools. A dead process's write can
 * arrive after the decision.
 */
function startOf(before: readonly Note[], { operations }: Program): number {
  const mayBeLate = operations.some(({ fault }) => fault?.crash === "killed, done late");
  const isOfTools = ({ type }: Note) => type === "result" || type === "run";
  return mayBeLate ? before.findLastIndex((note) => !isOfTools(note)) + 1 : before.length;
}

/** What the tools did. */
function brokenCalls(played: Played): readonly string[] {
  const { messages, notes, program } = played;
  const broken: string[] = [];
  const all = notes.all();
  const called = new Set(messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id)));
  const keyOf = new Map<string, string>();
  for (const run of notes.of("run")) {
    const { tool, callId, key } = run;
    const what = `${tool} (${callId})`;
    const before = all.slice(0, all.indexOf(run));
    if (isStoredAtOnce(played) && !called.has(callId)) broken.push(`${what} ran, but its call isn't stored`);
    if (
      before
        .slice(0, startOf(before, program))
        .some((note) => note.type === "result" && note.callId === callId)
    )
      broken.push(`${what} ran after its result was stored`);
    if (key === "" || (keyOf.get(callId) ?? key) !== key) broken.push(`${what} ran under another key`);
    if ([...keyOf].some(([other, known]) => other !== callId && known === key))
      broken.push(`${what} has the key of another call`);
    keyOf.set(callId, key);
    if (tool !== "pay") continue;
    if (!before.some((note) => note.type === "deciding" && note.callId === callId && note.approves))
      broken.push(`${what} ran without an approval`);
    // A decision whose turn was stopped can be asked for again.
    const decidedAt = before.findLastIndex((note) => note.type === "decided" && note.callId === callId);
    const last = before[decidedAt];
    const again = before
      .slice(decidedAt + 1)
      .some((note) => note.type === "deciding" && note.callId === callId && note.approves);
    if (last?.type === "decided" && !last.approves && !again)
      broken.push(`${what} ran although it was rejected`);
  }
  return broken;
}

/** How many faults must hit a turn until it ends as lost. */
const FAULTS_UNTIL_LOST = 3;

/** Whether a fault explains that a turn failed. */
function isExplained({ turnId, events }: SurveyedTurn, { notes, program }: Played): boolean {
  const end = events.at(-1);
  const faults = program.operations.flatMap(({ fault }) => fault?.crash ?? []);
  switch (end?.type === "turn_end" ? end.error?.code : undefined) {
    case "ModelCallError":
      return notes.of("model failed").some((failed) => failed.turnId === turnId);
    case "MemoryError":
      // A turn of which nothing is stored doesn't go on if a late write has changed the conversation. With durability
      // "completed", it may also have loaded the conversation before the turn before it ended.
      return faults.includes("killed, done late") || program.durability === "completed";
    case "Lost":
      return faults.length >= FAULTS_UNTIL_LOST;
    default:
      return false;
  }
}

/** How the turns ended, and what readers of their events saw. */
function brokenTurns(played: Played): readonly string[] {
  const { messages, notes, turns, program } = played;
  const broken: string[] = [];
  const all = notes.all();
  const faults = new Set(program.operations.flatMap(({ fault }) => fault?.crash ?? []));
  for (const turn of turns) {
    const { turnId, state, events } = turn;
    const types = events.map(({ type }) => type);
    if (state !== "ended") broken.push(`${turnId} is ${state}`);
    if (types[0] !== "turn_start" || types.lastIndexOf("turn_start") !== 0)
      broken.push(`${turnId} doesn't begin once`);
    if (types.at(-1) !== "turn_end" || types.indexOf("turn_end") !== types.length - 1)
      broken.push(`${turnId} doesn't end once`);
    const end = events.at(-1);
    if (end?.type !== "turn_end") continue;
    const promisedAt = all.findIndex((note) => note.type === "stopped" && note.turnId === turnId);
    const isPromised = promisedAt !== -1;
    const isGoingOn = (note: Note) => note.type === "model" && note.turnId === turnId;
    // Its last step may just have ended. Another process reads the request with its next write.
    if (isPromised && end.status !== "stopped" && all.slice(promisedAt).filter(isGoingOn).length > 1)
      broken.push(`${turnId} was stopped, but went on and is ${end.status}`);
    if (!isPromised && end.status === "stopped" && faults.size === 0)
      broken.push(`${turnId} is stopped, but no stop was asked for`);
    if (end.status === "error" && !isExplained(turn, played))
      broken.push(`${turnId} failed: ${JSON.stringify(end.error)}`);
  }
  for (const { turnId } of notes.of("begun"))
    if (!turns.some((turn) => turn.turnId === turnId)) broken.push(`${turnId} is lost`);
  const shown = turns.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === "message" ? [messageText(event.message)] : [])),
  );
  const replies = messages.filter(({ role }) => role === "assistant").map(messageText);
  const isShown = isStoredAtOnce(played) ? shown.join("\n") === replies.join("\n") : isPartOf(shown, replies);
  if (!isShown) broken.push(`readers saw ${JSON.stringify(shown)}, stored is ${JSON.stringify(replies)}`);
  return broken;
}

/** Whether the texts of `part` are among all the texts, in the same order. */
function isPartOf(all: readonly string[], part: readonly string[]): boolean {
  let next = 0;
  return part.every((text) => {
    next = all.indexOf(text, next) + 1;
    return next > 0;
  });
}
