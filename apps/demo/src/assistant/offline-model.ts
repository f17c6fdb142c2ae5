import { setTimeout as sleep } from "node:timers/promises";
import {
  type Message,
  type ModelCompletion,
  type ModelProvider,
  type ModelStreamChunk,
  messageText,
  type ResolvedAgent,
  type RunState,
  readToolResult,
  rejectionOf,
} from "@jaf/core";
import { holdsSecret } from "@jaf/user-memory";
import { answerFromHistory, rememberedIn, sourcesOf } from "./answers.ts";
import { sentMessage } from "./sender.ts";
import { understood } from "./statements.ts";

/**
 * Creates a model replacement with fixed rules, for use without a configured model. The same history and instructions always
 * give the same reply. It says so if it doesn't understand a message. `wordDelayMs` is the pause between streamed words.
 */
export function createOfflineModel<Ctx>({
  wordDelayMs,
}: {
  readonly wordDelayMs: number;
}): ModelProvider<Ctx> {
  return {
    getCompletion: async (state, agent): Promise<ModelCompletion> => {
      const { content: text, calls } = reply(state, agent);
      const sources = sourcesOf(text);
      const content = sources.length === 0 ? text : [{ type: "text", text }, ...sources];
      const tool_calls = calls.map((call) => ({ type: "function", ...call }) as const);
      return { message: { content, ...(calls.length === 0 ? {} : { tool_calls }) } };
    },
    getCompletionStream: async function* (state, agent, { signal }): AsyncGenerator<ModelStreamChunk> {
      const { content, calls } = reply(state, agent);
      const pause = async () => {
        if (wordDelayMs > 0) await sleep(wordDelayMs, undefined, signal === undefined ? {} : { signal });
      };
      for (const text of wordsOf(content)) {
        await pause();
        yield { type: "text_delta", text };
      }
      for (const part of sourcesOf(content)) yield { type: "part", part };
      for (const [index, { id, function: called }] of calls.entries())
        for (const words of wordsOf(called.arguments)) {
          await pause();
          yield { type: "tool_call_delta", index, id, name: called.name, arguments: words };
        }
      yield { type: "done" };
    },
  };
}

const wordsOf = (text: string): readonly string[] => text.match(/\s*\S+\s*/g) ?? [];

function reply<Ctx>(state: Readonly<RunState<Ctx>>, agent: ResolvedAgent<Ctx>) {
  const { messages } = state;
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== "tool") + 1);
  if (results.length > 0) return { content: results.map(sayResult).join("\n"), calls: [] };
  const last = messages.at(-1);
  const sent = last && sentMessage(last);
  if (sent !== undefined) return { content: `It’s time: ${sent.text}`, calls: [] };
  const text = last?.role === "user" ? understood(messageText(last)) : "";
  const requests = requestsOf(text);
  const possible = requests.filter(({ tool }) => agent.tools?.some(({ schema }) => schema.name === tool));
  if (possible.length < requests.length && !holdsSecret(text))
    return { content: ONLY_ON_THE_PAGE, calls: [] };
  const calls = possible.map(({ tool, args }, index) => ({
    // Unique within the conversation, and the same if an interrupted reply is generated again.
    id: `call_${messages.length}_${index}`,
    function: { name: tool, arguments: JSON.stringify(args) },
  }));
  if (calls.length > 0) return { content: "", calls };
  return { content: answerFromHistory(messages, rememberedIn(agent.instructions(state))), calls };
}

const ONLY_ON_THE_PAGE = "I can do that only on the demo's page: `npx pnpm@12.21.0 demo` opens it.";

/** Repeats the tool's result. */
function sayResult({ content }: Message): string {
  const result = readToolResult(content);
  if (result === undefined) return SET.test(content) ? "All right, I’ll remind you." : sayFound(content);
  if (result.status === "success") return String(result.data);
  if (rejectionOf(result) !== undefined) return "All right, I didn't do that.";
  return `That didn't work: ${result.error?.message ?? "the tool failed"}`;
}

/** Matches the result of a timer that was set. */
const SET = /^Set: - timer "/;

/** Matches a line of a search in past conversations: `- [c1, message 4, 2026-11-02, "The move"] user: I move.` */
const PASSAGE = /^- \[[^\n]*?, message \d+(?:, ([\d-]+(?: to [\d-]+)?))?(?:, "([^"]*)")?\] (\w+): (.*)$/gm;
const MOST_SAID = 3;

/** Says what a search in past conversations found, without question marks. Returns other results unchanged. */
function sayFound(result: string): string {
  if (!result.includes("<past-messages>\n")) return result;
  const lines = Array.from(result.matchAll(PASSAGE), ([, day = "", title = "", author, words = ""]) => {
    const where = title === "" ? "" : ` in “${title}”`;
    return `- ${author === "user" ? "You" : "I"}${where}${day === "" ? "" : `, ${day}`}: ${words.replaceAll("?", "…")}`;
  });
  return ["This is what I found:", ...lines.slice(0, MOST_SAID)].join("\n");
}

/** A tool call that a message asks for. */
export interface ToolRequest {
  readonly tool: string;
  readonly args: object;
}

type Form = readonly [pattern: RegExp, call: (...groups: readonly string[]) => ToolRequest];

const note = (args: object): ToolRequest => ({ tool: "notes", args });
const secondsIn = (unit: string): number => ({ minute: 60, hour: 3_600 })[unit.toLowerCase()] ?? 1;

const minutesIn = (unit: string): number => ({ hour: 60, day: 1_440 })[unit.toLowerCase()] ?? 1;
const amountOf = (amount: string): number => (/^an?$|^one$/i.test(amount) ? 1 : Number(amount));

/** Requests for tools that refuse or remove secrets themselves. */
const PAGE_FORMS: readonly Form[] = [
  [
    /^send an e-?mail to ([^:\n]{1,80}): *(\S.*)$/is,
    (to, text) => ({ tool: "send_email", args: { to, text } }),
  ],
  [
    /^set a timer for (\d{1,6}) (second|minute|hour)s?\b/i,
    (amount, unit = "") => ({ tool: "timer", args: { seconds: Number(amount) * secondsIn(unit) } }),
  ],
  [
    /^plan (an? [^\n]{1,40}? with [^\n]{1,80}?)[.!]?$/i,
    (meeting) => ({ tool: "planner", args: { task: `Arrange ${meeting}.` } }),
  ],
  [/^keep this page:\s*(\S.*)$/is, (text) => ({ tool: "keep_page", args: { text } })],
];
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const FORMS: readonly Form[] = [
  [/^(?:(?:take|add|make) a )?note: *(\S.*)$/is, (text) => note({ action: "add", text })],
  [
    /^remind me in (an?|one|\d{1,4}) (minute|hour|day)s?(?: (?:to|of|about)|[:,]) *(\S.*?)[.!]?$/is,
    (amount = "", unit = "", message = "") => ({
      tool: "set_timer",
      args: { inMinutes: amountOf(amount) * minutesIn(unit), message },
    }),
  ],
  [
    /^remind me (?:every|each) day at (\d{1,2})(?::(\d\d))?(?: (?:to|of|about)|[:,]) *(\S.*?)[.!]?$/is,
    (hour, minute = "0", message = "") => ({
      tool: "set_timer",
      args: { cron: `${Number(minute)} ${hour} * * *`, timeZone: HERE, message },
    }),
  ],
  [/^(?:show|list) (?:me )?my (?:timers|reminders)\b/i, () => ({ tool: "list_timers", args: {} })],
  [/^(?:show|list) (?:me )?my notes\b/i, () => note({ action: "list" })],
  [/^delete note (\d{1,6})\b/i, (number) => note({ action: "remove", number: Number(number) })],
  [
    /^what did (?:we|you|i) (?:say|talk) about (\S[^\n]{0,200}?)[.?! ]*$/i,
    (query) => ({ tool: "search_conversations", args: { query } }),
  ],
  [/^(?:who am i\b|what do you (?:know|remember) about me\b)/i, () => ({ tool: "known_facts", args: {} })],
];
const CLOCK =
  /\bwhat(?: time is it|(?: is|['’]s) the time)\b(?: in (\p{L}[\p{L}_/ '’.-]{0,60}?)(?= and | (?:right )?now\b|[,?!]|\.?$))?/iu;
const EXPRESSION =
  /(?:^|\bwhat is |\bwhat['’]s |\bhow much is |\bcalculate )([-(.\d][-\d\s.+*/%^()]*[\d)])(?=\s*(?:[,.?!=\n]|and\b|$))/i;
const IS_CALCULATION = /[\d)]\s*[-+*/%^]/;

/** What the assistant asks the planner. */
const ARRANGE = /^arrange (an? .{1,40}?) with (.{1,80}?)(?: in (\p{L}[\p{L}_/ '’.-]{0,60}?))?\.$/iu;

/** Returns the calls of the planner; `undefined` if the text isn't a task for it. */
function arrangementIn(text: string): readonly ToolRequest[] | undefined {
  const [, meeting, to, place] = ARRANGE.exec(text) ?? [];
  if (meeting === undefined) return undefined;
  const email = { to, text: `Would ${meeting}${place === undefined ? "" : ` in ${place}`} suit you` };
  return [
    { tool: "clock", args: zoneOf(place) },
    { tool: "send_email", args: email },
  ];
}

/** The tool calls that a message asks for, in order. Only the page's assistant has some of these tools. */
export function requestsOf(message: string): readonly ToolRequest[] {
  const text = understood(message)
    .trim()
    .replace(/^please /i, "");
  const ofPage = firstOf(PAGE_FORMS, text);
  if (ofPage !== undefined) return [ofPage];
  if (holdsSecret(text)) return [];
  const arranging = arrangementIn(text);
  if (arranging !== undefined) return arranging;
  const only = firstOf(FORMS, text);
  if (only !== undefined) return [only];
  const clock = CLOCK.exec(text);
  const expression = EXPRESSION.exec(text)?.[1];
  return [
    ...(clock === null ? [] : [{ tool: "clock", args: zoneOf(clock[1]) }]),
    ...(expression !== undefined && IS_CALCULATION.test(expression)
      ? [{ tool: "calculator", args: { expression } }]
      : []),
  ];
}

function firstOf(forms: readonly Form[], text: string): ToolRequest | undefined {
  for (const [pattern, call] of forms) {
    const match = pattern.exec(text);
    if (match !== null) return call(...match.slice(1));
  }
  return undefined;
}

/** The IANA zone of "Paris", "new york", "São Paulo" or "Europe/Paris". The clock reports unknown places. */
function zoneOf(place: string | undefined): { readonly timeZone?: string } {
  if (place === undefined) return {};
  const plain = place.normalize("NFD").replaceAll(/\p{M}|\./gu, "");
  const wanted = plain.trim().replaceAll(" ", "_").toLowerCase();
  const zone = Intl.supportedValuesOf("timeZone").find((name) =>
    `/${name.toLowerCase()}`.endsWith(`/${wanted}`),
  );
  return { timeZone: zone ?? place };
}
