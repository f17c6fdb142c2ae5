import { inspect } from "node:util";
import { describeDifferences } from "./difference.ts";
import type { Level } from "./harness.ts";
import type { Rule } from "./spec.ts";

// That of the installed version, whose rules these are.
const GUIDE = "node_modules/@jaf/memory/docs/adding-a-provider.md";
/** The maximum length of a value that the message shows, in characters. A longer value is left out. */
const SHOWN_CHARACTERS = 400;

const indent = (text: string): string => text.replaceAll("\n", "\n             ");

function show(value: unknown): string {
  const text = inspect(value, { depth: 8, breakLength: 100 });
  return text.length > SHOWN_CHARACTERS ? `${text.length} characters, which differ as above` : indent(text);
}

/** Returns the two compared values that an assertion has attached to its error, or `{}` if it has attached none. */
function comparison(thrown: unknown): { readonly expected?: unknown; readonly actual?: unknown } {
  if (typeof thrown !== "object" || thrown === null) return {};
  const expected: unknown = "expected" in thrown ? thrown.expected : undefined;
  const actual: unknown = "actual" in thrown ? thrown.actual : undefined;
  return expected === undefined && actual === undefined ? {} : { expected, actual };
}

function messageOf(rule: Rule, thrown: unknown, calls: readonly string[]): string {
  const { level, subject, title, why, hint } = rule;
  const compared = comparison(thrown);
  const broken = thrown instanceof Error ? thrown.message : inspect(thrown, { depth: 2 });
  const lines = [
    `[${level}] ${subject}: ${title}`,
    `  Matters:   ${why}`,
    `  Look at:   ${hint} See ${GUIDE}#${level}`,
    `  Broken:    ${indent(broken)}`,
    ...("expected" in compared && "actual" in compared
      ? describeDifferences(compared.expected, compared.actual).map((line) => `  Differs:   ${indent(line)}`)
      : []),
    ...("expected" in compared ? [`  Expected:  ${show(compared.expected)}`] : []),
    ...("actual" in compared ? [`  Observed:  ${show(compared.actual)}`] : []),
    ...calls.map((line, index) => `  ${index === 0 ? "After:" : "      "}     ${line}`),
  ];
  return lines.join("\n");
}

const unwrittenMessageOf = ({ level, subject, title }: Rule, what: string): string =>
  [
    `Not written yet: ${what}.`,
    `  Needed by: [${level}] ${subject}: ${title}`,
    `  Rules:     ${GUIDE}#the-backend`,
  ].join("\n");

interface BrokenDetails {
  /** The last calls of the rule, one line each. */
  readonly calls?: readonly string[] | undefined;
  readonly unwritten?: string | undefined;
}

/**
 * Thrown if a provider breaks a rule of the contract. The message contains the rule, its reason, what was observed, and
 * where to look in the backend. If the backend isn't complete yet (`notWritten`), the message names the function to
 * write.
 */
export class RuleBroken extends Error {
  override readonly name = "RuleBroken";
  readonly level: Level;
  readonly subject: string;
  readonly rule: string;
  /** The expected value. Vitest prints its difference to `actual`. */
  readonly expected?: unknown;
  readonly actual?: unknown;
  /** The function of the backend that the rule needs and that isn't written yet, as `notWritten` names it. */
  readonly unwritten?: string;

  /** `thrown` is the error of the failed test. */
  constructor(rule: Rule, thrown: unknown, { calls = [], unwritten }: BrokenDetails = {}) {
    super(unwritten === undefined ? messageOf(rule, thrown, calls) : unwrittenMessageOf(rule, unwritten));
    this.level = rule.level;
    this.subject = rule.subject;
    this.rule = rule.title;
    if (unwritten !== undefined) {
      this.unwritten = unwritten;
      this.stack = `${this.name}: ${this.message}`; // The frames would only show the kit.
      return;
    }
    Object.assign(this, comparison(thrown));
    // Keep the stack of the broken rule, not of this constructor.
    const frames = thrown instanceof Error ? /\n\s+at [\s\S]*$/.exec(thrown.stack ?? "") : null;
    if (frames !== null) this.stack = `${this.name}: ${this.message}${frames[0]}`;
  }
}
