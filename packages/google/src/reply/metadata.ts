import { type Fields, fieldsOf, isObject, listOf } from "@jaf/model-http";

/** What a reply has beside its parts: sources, ratings, log probabilities, the model's version. */
interface ReplyMetadata {
  readonly add: (response: Fields) => void;
  /** Returns the fields to keep in the message, under Google's own names. */
  readonly fields: () => Fields;
}

/** A candidate's fields that are read separately. */
const READ: ReadonlySet<string> = new Set(["content", "index", "finishReason"]);

/** Counts that are in the reply's usage. That of tool results isn't: it is part of the input. */
const COUNTS: ReadonlySet<string> = new Set([
  ...["promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "cachedContentTokenCount"],
  "totalTokenCount",
]);

/** Returns the first of the candidates. An event of a stream can have others alone. */
export const firstCandidate = (response: Fields): Fields =>
  fieldsOf(listOf(response["candidates"]).find((candidate) => (fieldsOf(candidate)["index"] ?? 0) === 0));

export function createMetadata(): ReplyMetadata {
  let response: Fields = {};
  let first: Fields = {};
  let usage: Fields = {};
  const others = new Map<unknown, Fields>();
  return {
    add: ({ candidates, usageMetadata, error: _, ...further }) => {
      response = { ...response, ...further };
      usage = { ...usage, ...fieldsOf(usageMetadata) };
      for (const candidate of listOf(candidates).map(fieldsOf)) {
        const { index = 0 } = candidate;
        if (index === 0) first = merged(first, without(READ, candidate));
        else others.set(index, withCandidate(others.get(index) ?? { index }, candidate));
      }
    },
    fields: () => {
      const details = without(COUNTS, usage);
      return {
        ...first,
        ...response,
        ...(Object.keys(details).length === 0 ? {} : { usageMetadata: details }),
        ...(others.size === 0 ? {} : { candidates: [...others.values()] }),
      };
    },
  };
}

const without = (names: ReadonlySet<string>, fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));

/** Adds an event's parts and fields to a candidate that JAF doesn't read. */
function withCandidate(known: Fields, candidate: Fields): Fields {
  const partsOf = ({ content }: Fields) => listOf(fieldsOf(content)["parts"]);
  const content = { role: "model", parts: [...partsOf(known), ...partsOf(candidate)] };
  return { ...merged(known, candidate), content };
}

/**
 * Merges the fields of a candidate. Events of a stream may send them in pieces or repeat them, so objects are merged and the
 * lists within them joined without duplicates, unless a list repeats all that is known. Each entry of log probabilities is
 * another token's.
 */
function merged(known: Fields, fields: Fields): Fields {
  const result: Record<string, unknown> = { ...known };
  for (const [field, value] of Object.entries(fields))
    result[field] = mergedValue(result[field], value, field === "logprobsResult" ? joined : union);
  return result;
}

type Join = (before: readonly unknown[], further: readonly unknown[]) => readonly unknown[];

function mergedValue(before: unknown, value: unknown, join: Join): unknown {
  if (!isObject(before) || !isObject(value)) return value ?? before;
  const result: Record<string, unknown> = { ...before };
  for (const [field, inner] of Object.entries(value)) {
    const known = result[field];
    result[field] = Array.isArray(known) && Array.isArray(inner) ? join(known, inner) : inner;
  }
  return result;
}

const joined: Join = (before, further) => [...before, ...further];

const union: Join = (before, further) => {
  const known = before.map((entry) => JSON.stringify(entry));
  const sent = further.map((entry) => JSON.stringify(entry));
  // Indexes of pages are those of the list that was told last.
  if (known.every((entry) => sent.includes(entry))) return further;
  return [...before, ...further.filter((_, index) => !known.includes(sent[index] ?? ""))];
};
