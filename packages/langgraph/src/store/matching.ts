import { sameJson } from "@jaf/memory/internal";
import { getTextAtPath, type MatchCondition } from "@langchain/langgraph-checkpoint";
import type { FoundDocument } from "./documents.ts";

/** Whether a namespace matches a prefix or a suffix. `*` matches any label. */
export function isMatch(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const labels = matchType === "prefix" ? namespace : namespace.slice(namespace.length - path.length);
  return path.every((label, index) => label === "*" || label === labels[index]);
}

/** Whether a namespace begins with these labels. A label `*` only matches itself, because labels can be ids of users. */
export const isWithin = (namespace: readonly string[], prefix: readonly string[]): boolean =>
  prefix.every((label, index) => label === namespace[index]);

type Test = (value: unknown, operand: unknown) => boolean;

const isNumeric = (test: (a: number, b: number) => boolean): Test => {
  return (value, operand) => test(Number(value), Number(operand));
};

const isOneOf: Test = (value, operand) =>
  Array.isArray(operand) && operand.some((one) => sameJson(value, one));

/** LangGraph's operators of filters. */
const OPERATORS: Readonly<Record<string, Test>> = {
  $eq: sameJson,
  $ne: (value, operand) => !sameJson(value, operand),
  $gt: isNumeric((a, b) => a > b),
  $gte: isNumeric((a, b) => a >= b),
  $lt: isNumeric((a, b) => a < b),
  $lte: isNumeric((a, b) => a <= b),
  $in: isOneOf,
  $nin: (value, operand) => !isOneOf(value, operand),
};

/** Whether each field of the filter matches: by an equal value, or by all of its operators (e.g. `{ $gt: 4 }`). */
export function passes(
  value: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(filter).every(([field, wanted]) => {
    const own = Object.hasOwn(value, field) ? value[field] : undefined;
    const operators = operatorsIn(wanted);
    return operators === undefined
      ? sameJson(own, wanted)
      : operators.every(([name, operand]) => OPERATORS[name]?.(own, operand) === true);
  });
}

function operatorsIn(wanted: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) return undefined;
  const entries = Object.entries(wanted);
  const areOperators = entries.length > 0 && entries.every(([name]) => Object.hasOwn(OPERATORS, name));
  return areOperators ? entries : undefined;
}

/** Returns the text by which a query finds the document. */
export function searchedText({ item, index }: FoundDocument): string {
  if (index === false) return "";
  const texts =
    index === undefined ? textsIn(item.value) : index.flatMap((path) => getTextAtPath(item.value, path));
  return texts.join("\n");
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
