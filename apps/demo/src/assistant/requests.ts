import { holdsSecret } from "@jaf/user-memory";
import { understood } from "./statements.ts";

/** A call of a tool that a message asks for. */
export interface ToolRequest {
  readonly tool: string;
  readonly args: object;
}

type Form = readonly [pattern: RegExp, call: (...groups: readonly string[]) => ToolRequest];

const note = (args: object): ToolRequest => ({ tool: "notes", args });
const secondsIn = (unit: string): number => ({ minute: 60, hour: 3_600 })[unit.toLowerCase()] ?? 1;

/** These tools refuse secrets, or leave them out, by themselves. */
const PAGE_FORMS: readonly Form[] = [
  [
    /^send an e-?mail to ([^:\n]{1,80}): *(\S.*)$/is,
    (to, text) => ({ tool: "send_email", args: { to, text } }),
  ],
  [
    /^set a timer for (\d{1,6}) (second|minute|hour)s?\b/i,
    (amount, unit = "") => ({ tool: "timer", args: { seconds: Number(amount) * secondsIn(unit) } }),
  ],
  [/^keep this page:\s*(\S.*)$/is, (text) => ({ tool: "keep_page", args: { text } })],
];
const FORMS: readonly Form[] = [
  [/^(?:take a )?note: *(\S.*)$/is, (text) => note({ action: "add", text })],
  [/^show (?:me )?my notes\b/i, () => note({ action: "list" })],
  [/^delete note (\d{1,6})\b/i, (number) => note({ action: "remove", number: Number(number) })],
  [/^(?:who am i\b|what do you (?:know|remember) about me\b)/i, () => ({ tool: "known_facts", args: {} })],
];
const CLOCK = /\bwhat time is it\b(?: in (\p{L}[\p{L}_/ '’.-]{0,60}?)(?= and |[,?!]|\.?$))?/iu;
const EXPRESSION =
  /(?:^|\bwhat is |\bwhat's |\bcalculate )([-(.\d][-\d\s.+*/%^()]*[\d)])(?=\s*(?:[,.?!=\n]|and\b|$))/i;
const IS_CALCULATION = /[\d)]\s*[-+*/%^]/;

/** What a message asks tools for, in the order in which they are called. Some of them only the page's assistant has. */
export function requestsOf(message: string): readonly ToolRequest[] {
  const text = understood(message)
    .trim()
    .replace(/^please /i, "");
  const ofPage = firstOf(PAGE_FORMS, text);
  if (ofPage !== undefined) return [ofPage];
  if (holdsSecret(text)) return [];
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

/** "Paris", "new york", "São Paulo" or "Europe/Paris" as an IANA zone. The clock says so where there is no such place. */
function zoneOf(place: string | undefined): { readonly timeZone?: string } {
  if (place === undefined) return {};
  const plain = place.normalize("NFD").replaceAll(/\p{M}|\./gu, "");
  const wanted = plain.trim().replaceAll(" ", "_").toLowerCase();
  const zone = Intl.supportedValuesOf("timeZone").find((name) =>
    `/${name.toLowerCase()}`.endsWith(`/${wanted}`),
  );
  return { timeZone: zone ?? place };
}
